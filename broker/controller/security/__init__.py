"""The parts of the controller that change ACLs, credentials and tokens."""

"""The logs of a node in its data directories."""

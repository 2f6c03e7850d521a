"""SASL: the mechanisms by which clients log in, and the state of a login. No I/O."""

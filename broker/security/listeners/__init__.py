"""The listeners of a node: their names, addresses and security protocols."""

"""The limits of clients at a node: bytes per second, connections, and memory for requests."""

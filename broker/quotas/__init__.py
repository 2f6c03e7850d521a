"""What clients may use of a node: bytes a second, connections, and memory for their requests."""

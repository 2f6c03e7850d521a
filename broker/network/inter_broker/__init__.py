"""The connections of a node to other nodes, or to itself: one request in flight."""

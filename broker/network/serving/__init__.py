"""One task serves the connections of all nodes, each through its channel."""

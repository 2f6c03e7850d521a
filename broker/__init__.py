"""The broker: a cluster of nodes in one process."""

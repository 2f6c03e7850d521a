"""The changes of the cluster on their way to the nodes."""

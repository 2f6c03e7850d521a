"""What a node does with the partitions it hosts: append, fetch, and who waits for it."""

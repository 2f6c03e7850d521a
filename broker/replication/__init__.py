"""The replicas of a node: appends, fetches, replication, and the operations that wait for them."""

"""What nodes know of the cluster: topics, partitions, features and settings."""

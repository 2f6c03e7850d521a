"""Work on partitions that a user starts now: compact, roll, expire, elect."""

"""How partitions are created, and how their replicas and leaders change."""

"""The follower's side of replication: fetching from leaders, cutting off what they never had."""

"""Share partitions: records that the members of a share group acquire one by one (KIP-932)."""

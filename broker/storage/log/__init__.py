"""The log of one partition on one replica."""

"""Compaction: a log keeps only the latest record of each key."""

"""Logs written by this broker and by a real Kafka, for comparisons and crashes."""

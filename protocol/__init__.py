"""Kafka's wire protocol: bytes to values and back, without I/O and without a clock."""

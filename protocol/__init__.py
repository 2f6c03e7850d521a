"""Kafka's wire protocol: converts bytes to values and back, without I/O and without a clock."""

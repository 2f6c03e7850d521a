"""Reads the request log of Apache Kafka as wait records (KIP-673)."""

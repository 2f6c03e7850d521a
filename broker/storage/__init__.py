"""Partition logs in Kafka's own file formats."""

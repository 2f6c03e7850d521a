"""Extreme values sent to a broker and to a real Kafka, and where the responses differ."""

"""Tests of the broker's process with real clients, compared with a real Apache Kafka."""

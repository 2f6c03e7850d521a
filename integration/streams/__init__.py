"""Kafka Streams applications with the protocol of streams groups (KIP-1071), for tests."""

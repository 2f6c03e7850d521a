"""Real clients, and a real Apache Kafka as the oracle, against the broker as its own process."""

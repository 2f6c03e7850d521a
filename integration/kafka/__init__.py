"""A real Apache Kafka: its jars, its containers, its tools, and a broker started from them."""

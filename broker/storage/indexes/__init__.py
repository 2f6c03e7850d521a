"""The index files of a segment, in Kafka's formats."""

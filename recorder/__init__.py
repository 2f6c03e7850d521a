"""A proxy for any Kafka cluster that records how long each request took.

It forwards every byte of every connection and changes only the addresses in responses, so that
clients connect to every node through it. It depends on `protocol`, not on `broker`.
"""

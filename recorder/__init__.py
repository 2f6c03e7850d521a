"""A proxy that stands before any Kafka and records how long each request took.

Every byte of every connection passes through, and only addresses are changed, so that clients come
back through here to every node. It knows the protocol and nothing of our broker.
"""

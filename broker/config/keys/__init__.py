"""The keys that this broker uses, by theme: each is one field of a dataclass.

Ranges and defaults are Kafka 4.3's, unless a key says why not.
"""

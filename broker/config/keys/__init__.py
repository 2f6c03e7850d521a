"""The keys that this broker uses, by theme: each key is a field of a dataclass.

Ranges and defaults are those of Kafka 4.3, except where a key gives a reason for its own default.
"""

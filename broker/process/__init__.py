"""The process of the broker: descriptors, memory, stdin, log format and the ready file."""

"""The process around the broker: descriptors, memory, standard input, log lines, the ready file."""

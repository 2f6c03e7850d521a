"""The command line of the broker process, and the properties file it may name."""

"""The commands that run in this process, one in each file, and what they share."""

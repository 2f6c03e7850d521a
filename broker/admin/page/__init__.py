"""The live page: its files, and the events that it shows."""

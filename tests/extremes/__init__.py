"""Requests with one field at an end of its type: what they are, and their bytes."""

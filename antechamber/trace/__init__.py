"""Traces of requests from wait records, for viewers of traces."""

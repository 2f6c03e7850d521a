"""Fault rules on the path of a request: before its handler, and in place of its response."""

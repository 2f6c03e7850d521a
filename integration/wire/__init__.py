"""A raw client, by hand: sends what no client library would, and costs next to nothing.

It shares no code with the broker, so it disagrees even when the broker and its codec err alike.
"""

"""A raw client that encodes requests by hand: fast, and able to send invalid bytes.

It shares no code with the broker, so that an error in the broker's codec is detected.
"""

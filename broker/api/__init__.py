"""Requests: decoding, dispatch to the handler of each API, and responses, including errors."""

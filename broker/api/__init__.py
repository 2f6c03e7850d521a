"""Requests: decoding, dispatch to a handler per API, and responses, also to failed requests."""

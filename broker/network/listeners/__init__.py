"""Listening sockets, which accept the connections of clients."""

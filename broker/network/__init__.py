"""Bytes in and out: listening sockets, connections, and what they have not sent yet."""

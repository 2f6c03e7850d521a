"""Sockets and connections: frames in, one request in progress for each connection, bytes out."""

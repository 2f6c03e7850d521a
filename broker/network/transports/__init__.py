"""The byte stream of one connection: a socket, or TLS over another transport."""

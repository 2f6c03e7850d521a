"""The conditions that a client of the admin interface may wait for, one family a file."""

"""The admin interface: HTTP with JSON, by which command lines and tests see into the broker."""

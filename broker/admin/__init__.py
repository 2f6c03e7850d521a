"""The admin interface: HTTP with JSON, for the command line, the Python handle and tests."""

"""What the pytest plugin uses when a test uses a cluster."""

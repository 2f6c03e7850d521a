"""Brokers and other servers as child processes of a test run."""

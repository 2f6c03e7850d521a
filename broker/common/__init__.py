"""Modules that all packages of the broker may use."""

"""Certificates, users, listeners and SASL tokens of the tests with security."""

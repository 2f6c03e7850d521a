"""Logins by SASL: what a connection serves before the client has logged in."""

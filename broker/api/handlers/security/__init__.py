"""Requests that log in, and that describe and alter ACLs, delegation tokens and credentials."""

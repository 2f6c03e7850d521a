"""Responses to requests that fail as a whole, for every API."""

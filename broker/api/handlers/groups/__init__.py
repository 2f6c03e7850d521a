"""Requests to the group coordinator: members and offsets of groups of all types."""

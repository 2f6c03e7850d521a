"""Requests that create, delete and describe topics, and move their partitions."""

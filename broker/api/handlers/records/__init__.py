"""Requests that write and read records, and find and delete them by offset."""

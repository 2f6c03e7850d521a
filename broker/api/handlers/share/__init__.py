"""Requests for the records of share partitions, and for their stored states (KIP-932)."""

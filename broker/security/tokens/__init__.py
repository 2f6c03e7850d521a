"""Delegation tokens (KIP-48): credentials that a client issues for itself or for others."""

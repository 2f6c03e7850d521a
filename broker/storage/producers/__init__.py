"""What a log knows of its producers and their transactions (KIP-98)."""

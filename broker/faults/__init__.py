"""Fault rules: which requests of clients, connections and links are to fail, and how."""

"""TLS: key stores and trust stores, contexts of listeners, and the principals of certificates."""

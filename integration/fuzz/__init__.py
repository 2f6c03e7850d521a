"""A fuzzer: requests that no client should send, and an honest client that must not notice them."""

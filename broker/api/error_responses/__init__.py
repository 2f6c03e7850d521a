"""The response to a request that fails as a whole, for every API."""

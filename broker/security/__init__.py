"""Who a client is, and what it may do: principals, listeners, authentication and authorization."""

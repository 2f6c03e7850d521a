"""One function an API: a request's values in, a response's values out."""

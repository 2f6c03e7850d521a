"""Scripts that use one client library; the interpreter that has the library runs them."""

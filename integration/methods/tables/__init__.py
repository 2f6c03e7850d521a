"""The tables: a file a client class, run by a Python that has the library, in any release."""

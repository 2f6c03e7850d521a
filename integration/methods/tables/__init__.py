"""The tables, a file for each client class; they run with any release of the library."""

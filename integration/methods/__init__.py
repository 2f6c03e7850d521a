"""A table of client methods: every public method of every client library, called as documented.

Each table is a table of one client class: for each public method the shapes in which it is called,
defaults first. A library's tables are played in a process of its own (`program.py`), to our broker
and to a real Kafka, and the outcomes are compared (`comparison.py`). Differences that are expected
are listed in `known.py`. `make methods` does that for the library and shapes that ARGS name.

What a library's process imports uses the standard library only, beside the client library itself,
so that the tables also run in an environment with an old release of it.
"""

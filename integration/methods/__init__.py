"""Calls every public method of every client library, and compares the outcomes with Kafka.

A table lists for each public method of a client class the shapes (combinations of arguments) in
which it is called, defaults first. The tables of a library run in a process of its own
(`program.py`), with our broker and with a real Kafka, and the outcomes are compared
(`comparison.py`). Expected differences are listed in `known.py`. `make methods` runs the library
and shapes that ARGS name.

The modules of that process import only the standard library and the client library, so that the
tables also run in an environment with an old release of it.
"""

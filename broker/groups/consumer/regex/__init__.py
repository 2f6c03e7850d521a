r"""Regular expressions that members subscribe by: RE2/J's syntax, matched in linear time.

Python's `re` knows another language and may take exponential time for a pattern that a client
sends. The ``google-re2`` package is linear, but it is RE2 and not RE2/J: it refuses repetitions of
repetitions beyond 1000 in all that Kafka accepts, accepts what Kafka refuses (`\C`), has other
messages, and has no wheels for musl; its patterns would have to be read here all the same. Topic
names are ASCII, so a class of characters is 128 bits; greed makes no difference to whether a whole
name matches, so it is read and ignored. `parser` reads a pattern, `program` matches names.
"""

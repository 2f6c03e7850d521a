"""Regular expressions that members subscribe by: RE2's syntax, matched in linear time.

Python's `re` knows another language and may take for ever over a pattern that somebody sends. Topic
names are ASCII, so a class of characters is 128 bits; greed makes no difference to whether a whole
name matches, so it is read and forgotten. `parser` reads a pattern, `program` matches names.
"""

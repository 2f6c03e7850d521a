"""Every table in plain Python, from its definition in docs/reference/analysis.md.

A table is a list of rows. A record is the JSON object of a line, in which a field that is null and
one that is missing are the same. Times are in microseconds since the epoch.
"""

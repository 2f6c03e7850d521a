"""The same scenarios against this broker and a real Apache Kafka, and what differs.

A scenario (`scenarios/`) is a function that drives a cluster and yields what it saw. The runner
(`runner.py`) plays it to both systems and compares the two transcripts line by line; `card.py`
writes the outcome down; `known.py` lists the differences that are meant. `make parity` runs all.
"""

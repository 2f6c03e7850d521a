"""Runs the same scenarios on this broker and on a real Apache Kafka, and compares them.

A scenario (`scenarios/`) is a function that uses a cluster and yields its observations. The runner
(`runner.py`) runs it on both systems and compares the two transcripts line by line; `page.py`
writes the outcomes; `known.py` lists the intended differences. `make parity` runs all scenarios.
"""

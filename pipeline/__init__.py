"""Computes latency tables and plots from wait records: a PySpark job for a machine or a cluster.

It uses only Spark's own expressions and no Python functions in the workers. Therefore the workers
do not need this package, and every ``--master`` works unchanged.
"""

"""Wait records in, latency tables and pictures out: a PySpark job for one machine or a cluster.

Everything is computed by Spark's own expressions, without Python functions in the workers, so the
workers need nothing of this package, and any ``--master`` runs it unchanged.
"""

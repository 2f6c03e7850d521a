"""Counts the requests of each client: of its client id, its principal and its listener.

Rows of different runs are merged by addition, as cells are.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from pipeline.computation.cells import ANY_FAILED, window_start

KEY = ("window", "client_id", "principal", "listener", "api")


def clients(records: DataFrame, window_s: int) -> DataFrame:
    """Return requests, parked, timed out and failed ones, and their times in µs, for each `KEY`."""
    return (
        records.withColumn("window", window_start(window_s))
        .groupBy(*KEY)
        .agg(
            sf.count("*").alias("requests"),
            sf.count("purgatory").alias("parked"),
            sf.count_if(sf.expr("completed_by.cause = 'timeout'")).alias("timeouts"),
            sf.sum(sf.expr(ANY_FAILED)).alias("failed"),
            sf.sum("parked_us").alias("parked_us"),
            sf.sum("total_us").alias("total_us"),
            sf.max("total_us").alias("longest_us"),
        )
    )


def added_up(clients: DataFrame) -> DataFrame:
    """Merge the rows of several runs."""
    counted = [name for name in clients.columns if name not in (*KEY, "longest_us")]
    sums = [sf.sum(name).alias(name) for name in counted]
    return clients.groupBy(*KEY).agg(*sums, sf.max("longest_us").alias("longest_us"))

"""Aggregates records to cells: the number of requests of a kind by the length of a phase.

A cell counts the values of one phase in one bucket of one key. A request is counted for each of its
partitions (`count`) and once as a request (`requests`, at its first partition). One pass over the
records thus serves both scopes, and cells of different runs are merged by addition.

In `by_scope`, ``request`` counts every request once, without a topic; ``partition`` counts it once
for each of its partitions.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from pipeline.computation.histogram import bucket
from pipeline.computation.roles import ROLE
from pipeline.computation.schema import PHASES

KEY = ("scope", "window", "api", "topic", "partition", "cause")
UNKNOWN = "unknown"  # a wait whose cause the record does not have

CELL = ("window", "api", "role", "topic", "partition", "cause", "phase", "bucket")
_SHARED = ("window", "api", "role", "cause", "phase", "bucket")
_FAILED = "coalesce(error, 0) != 0"
# 1 if the request or one of its partitions has failed, else 0. Without a lambda, which Spark would
# interpret.
ANY_FAILED = f"""cast({_FAILED} or coalesce(array_max(partitions.error), 0) > 0
    or coalesce(array_min(partitions.error), 0) < 0 as int)"""


def cells(records: DataFrame, window_s: int) -> DataFrame:
    """Return the cells of *records* in windows of *window_s* seconds."""
    phases = ", ".join(f"{name}_us" for name in PHASES)
    places = records.select(
        window_start(window_s).alias("window"),
        "api",
        sf.expr(ROLE).alias("role"),
        sf.coalesce("completed_by.cause", sf.lit(UNKNOWN)).alias("cause"),
        sf.expr("if(purgatory is null, 0, 1)").alias("was_parked"),
        sf.expr(_FAILED).alias("refused"),
        sf.expr(ANY_FAILED).alias("any_failed"),
        sf.expr(f"array({phases})").alias("phases"),
        # A request without partitions has one row, without a topic.
        sf.expr("posexplode_outer(partitions) as (place, p)"),
    )
    values = places.select(
        "*",
        "p.topic",
        "p.partition",
        sf.expr("cast(refused or coalesce(p.error, 0) != 0 as int)").alias("failed"),
        sf.expr("if(coalesce(place, 0) = 0, 1, 0)").alias("first"),
        sf.expr("posexplode(phases) as (phase, us)"),
    )
    return (
        values.withColumn("bucket", bucket("us"))
        .groupBy(*CELL)
        .agg(
            sf.count("*").alias("count"),
            sf.sum("us").alias("sum"),
            sf.max("us").alias("max"),
            sf.sum("was_parked").alias("parked"),
            sf.sum("failed").alias("failed"),
            sf.sum("first").alias("requests"),
            sf.sum(sf.expr("first * us")).alias("requests_sum"),
            sf.sum(sf.expr("first * was_parked")).alias("requests_parked"),
            sf.sum(sf.expr("first * any_failed")).alias("requests_failed"),
        )
    )


def window_start(window_s: int) -> Column:
    """The beginning of the window of *window_s* seconds in which a request arrived."""
    return sf.expr(f"timestamp_micros(arrived_us - arrived_us % {window_s * 1_000_000})")


def added_up(cells: DataFrame) -> DataFrame:
    """Merge the cells of several runs."""
    counted = [name for name in cells.columns if name not in (*CELL, "max")]
    sums = [sf.sum(name).alias(name) for name in counted]
    return cells.groupBy(*CELL).agg(*sums, sf.max("max").alias("max"))


def by_scope(cells: DataFrame) -> DataFrame:
    """Return the cells of both scopes: `KEY`, `role`, ``phase`` by name, ``bucket``, the counts.

    Several rows may have the same key and bucket; their counts add up.
    """
    counted = ("count", "sum", "max", "parked", "failed")
    partitions = cells.where("topic is not null").withColumn("scope", sf.lit("partition"))
    # Every partition of a request has the times of the request, so the maximum is correct.
    requests = cells.where("requests > 0").select(
        *_SHARED,
        sf.lit("request").alias("scope"),
        sf.lit(None).cast("string").alias("topic"),
        sf.lit(None).cast("int").alias("partition"),
        sf.col("requests").alias("count"),
        sf.col("requests_sum").alias("sum"),
        "max",
        sf.col("requests_parked").alias("parked"),
        sf.col("requests_failed").alias("failed"),
    )
    names = (*KEY, "role", "phase", "bucket", *counted)
    named = ", ".join(f"'{name}'" for name in PHASES)
    both = partitions.select(*names).unionByName(requests.select(*names))
    return both.withColumn("phase", sf.expr(f"array({named})[phase]"))

"""The produce-to-fetch join: from an append to its delivery, through the waits on both sides.

A Produce appended a batch at an offset; the first Fetch of each client whose answer reaches over
that offset delivered it. Both sides are cut into blocks of offsets, so that the search for "reaches
over" is a join on equal blocks and no product of all with all.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

_BLOCK_OFFSETS = 250
_LOG = ("topic", "partition", "block")
_BATCH = (
    *("topic", "partition", "offset", "records", "producer"),
    *("appended", "produce_parked_us", "append_to_answer_us"),
)
_FIRST = ("fetch_was_waiting", "fetch_parked_us", "append_to_delivery_us")


def deliveries(appends: DataFrame, reads: DataFrame) -> DataFrame:
    """One row for each appended batch and each client that was given it; times in µs.

    ``append_to_delivery_us`` runs from the end of the append's handler to the moment when the
    fetch's answer was handed to the kernel; ``fetch_was_waiting`` says whether that fetch had been
    parked before the append came.
    """
    met = appends.join(reads, list(_LOG)).where(
        "base >= first and base < end and delivered_us >= appended_us"
    )
    return first_of_each(
        met.select(
            *_LOG,
            sf.col("base").alias("offset"),
            sf.col("appended_records").alias("records"),
            "producer",
            "consumer",
            sf.timestamp_micros("appended_us").alias("appended"),
            sf.timestamp_micros("delivered_us").alias("delivered"),
            "produce_parked_us",
            sf.expr("acknowledged_us - appended_us").alias("append_to_answer_us"),
            sf.expr("asked_us < appended_us").alias("fetch_was_waiting"),
            "fetch_parked_us",
            sf.expr("delivered_us - appended_us").alias("append_to_delivery_us"),
        ),
        "block",
    )


def first_of_each(deliveries: DataFrame, *together: str) -> DataFrame:
    """Of the deliveries of one batch to one client, the first.

    Columns by which the rows lie *together* already spare moving them once more.
    """
    first = [sf.min_by(name, "delivered").alias(name) for name in _FIRST]
    return (
        deliveries.groupBy(*together, *_BATCH, "consumer")
        .agg(sf.min("delivered").alias("delivered"), *first)
        .drop(*together)
    )


def appends_of(records: DataFrame) -> DataFrame:
    """What was appended."""
    return _partitions_of(records, "Produce").select(
        *_LOG[:2],
        sf.floor(sf.col("offset") / _BLOCK_OFFSETS).alias("block"),
        sf.col("offset").alias("base"),
        sf.col("records").alias("appended_records"),
        sf.col("client_id").alias("producer"),
        sf.expr("arrived_us + queued_us + local_us").alias("appended_us"),
        sf.col("parked_us").alias("produce_parked_us"),
        sf.expr("arrived_us + total_us").alias("acknowledged_us"),
    )


def reads_of(records: DataFrame) -> DataFrame:
    """What was read, a row for each block that it reaches into."""
    return _partitions_of(records, "Fetch").select(
        *_LOG[:2],
        sf.expr(
            f"explode(sequence(floor(offset / {_BLOCK_OFFSETS}),"
            f" floor((offset + records - 1) / {_BLOCK_OFFSETS})))"
        ).alias("block"),
        sf.col("offset").alias("first"),
        sf.expr("offset + records").alias("end"),
        sf.col("client_id").alias("consumer"),
        sf.col("arrived_us").alias("asked_us"),
        sf.col("parked_us").alias("fetch_parked_us"),
        sf.expr("arrived_us + total_us").alias("delivered_us"),
    )


# No error, and those with which a produce is answered whose records are in the log all the same:
# REQUEST_TIMED_OUT and NOT_ENOUGH_REPLICAS_AFTER_APPEND.
_THERE = (0, 7, 20)


def _partitions_of(records: DataFrame, api: str) -> DataFrame:
    """A row for each partition that a request of *api* brought records to, or took some from."""
    return (
        records.where((sf.col("api") == api) & sf.col("partitions").isNotNull())
        .withColumn("p", sf.explode("partitions"))
        .select("*", "p.topic", "p.partition", "p.offset", "p.records", "p.error")
        .where(f"records > 0 and offset >= 0 and coalesce(p.error, 0) in {_THERE}")
    )

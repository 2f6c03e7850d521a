"""The produce-to-fetch join: the time from an append to its delivery to each client.

A Produce appends a batch at an offset. The first Fetch of each client whose response extends beyond
that offset delivers it. Both sides are cut into blocks of offsets, so that the condition "extends
beyond" becomes a join on equal blocks instead of a product.
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
    """One row for each appended batch and each client that received it; times in µs.

    ``append_to_delivery_us`` is the time from the end of the append's handler until the fetch's
    response was handed to the kernel; ``fetch_was_waiting`` says whether the fetch had been parked
    before the append.
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
    """The first delivery of each batch to each client.

    Columns in *together* that already partition the rows avoid a shuffle.
    """
    first = [sf.min_by(name, "delivered").alias(name) for name in _FIRST]
    return (
        deliveries.groupBy(*together, *_BATCH, "consumer")
        .agg(sf.min("delivered").alias("delivered"), *first)
        .drop(*together)
    )


def appends_of(records: DataFrame) -> DataFrame:
    """The appended batches."""
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
    """The fetched ranges, a row for each block that a range overlaps."""
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


# No error, and the errors of a produce whose records are in the log nevertheless:
# REQUEST_TIMED_OUT and NOT_ENOUGH_REPLICAS_AFTER_APPEND.
_THERE = (0, 7, 20)


def _partitions_of(records: DataFrame, api: str) -> DataFrame:
    """A row for each partition that a request of *api* wrote records to, or read records from."""
    return (
        records.where((sf.col("api") == api) & sf.col("partitions").isNotNull())
        .withColumn("p", sf.explode("partitions"))
        .select("*", "p.topic", "p.partition", "p.offset", "p.records", "p.error")
        .where(f"records > 0 and offset >= 0 and coalesce(p.error, 0) in {_THERE}")
    )

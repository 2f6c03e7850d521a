"""The tables, and the expressions that compute them."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from pipeline.computation.blame import BLAMED, LAST_US, WAITS
from pipeline.computation.cells import KEY, UNKNOWN, by_scope
from pipeline.computation.explanation import RECORD, explained
from pipeline.computation.histogram import bucket, quantiles
from pipeline.computation.roles import ROLE
from pipeline.computation.schema import DEFECT, PHASES, RAW
from pipeline.request_log.topic_names import TOPIC_IDS

TOP_WAITS = 100  # of each purgatory and role
# More than all purgatories of a broker have together: records of other writers may name any.
TOP_WAITS_MAX = 5_000
# The waits of a record for a waterfall, each with its cause.
_STEPS = f"""transform({WAITS}, w -> named_struct('us', w.us, 'purgatory', w.purgatory,
    'kind', w.waited_for.kind, 'ended_by', w.completed_by.cause, 'blamed', {BLAMED}))"""
_WHERE = ("scope", "window", "api", "topic", "partition")


def latency(cells: DataFrame) -> DataFrame:
    """Count, mean, percentiles and max in µs for each key of `cells.KEY` and each phase."""
    return quantiles(by_scope(cells), (*KEY, "phase"))


def waits(cells: DataFrame) -> DataFrame:
    """Requests, share of parked requests, timeouts and failures by window, API and partition."""
    return (
        by_scope(cells)
        .where("phase = 'total'")
        .groupBy(*_WHERE)
        .agg(
            sf.sum("count").alias("requests"),
            sf.sum("parked").alias("parked"),
            (sf.sum("parked") / sf.sum("count")).alias("parked_share"),
            sf.sum(sf.when(sf.col("cause") == "timeout", sf.col("count")).otherwise(0)).alias(
                "timeouts"
            ),
            sf.sum("failed").alias("failed"),
        )
    )


def top_waits(spark: SparkSession, records: DataFrame) -> DataFrame:
    """The longest waits of each purgatory and role, with the sentences of `antechamber explain`."""
    waits = records.where("purgatory is not null").withColumns(
        {"arrived": sf.timestamp_micros("arrived_us"), "role": sf.expr(ROLE)}
    )
    found = longest(waits).select(
        "purgatory",
        "role",
        "rank",
        *(f"{phase}_us" for phase in PHASES),
        sf.expr(_STEPS).alias("waits"),
        "arrived",
        "api",
        "node",
        "connection",
        "client_id",
        "principal",
        "listener",
        "correlation_id",
        sf.coalesce("completed_by.cause", sf.lit(UNKNOWN)).alias("cause"),
        sf.to_json(sf.struct(*records.columns)).alias(RECORD),
    )
    return explained(spark, found.orderBy(sf.desc("parked_us")).limit(TOP_WAITS_MAX))


def longest(waits: DataFrame) -> DataFrame:
    """The longest of each purgatory and role, by `rank`; only these are held and sorted."""
    # By length; the other columns make the order deterministic, since they identify a request.
    order = "struct(parked_us, -unix_micros(arrived), -node, -connection, -correlation_id)"
    return (
        waits.groupBy("purgatory", "role")
        .agg(sf.expr(f"max_by(struct(*), {order}, {TOP_WAITS})").alias("longest"))
        .select(sf.posexplode("longest").alias("place", "wait"))
        .select(sf.expr("place + 1").alias("rank"), "wait.*")
    )


def delivery_latency(delivered: DataFrame, window_s: int) -> DataFrame:
    """Percentiles of the time from append to delivery by window, partition and consumer."""
    steps = ", ".join(
        f"named_struct('phase', '{name}', 'us', {name}_us)"
        for name in ("append_to_delivery", "append_to_answer", "fetch_parked")
    )
    key = ("window", "topic", "partition", "consumer", "phase")
    measured = (
        delivered.select(
            _window(sf.col("appended"), window_s).alias("window"),
            "topic",
            "partition",
            "consumer",
            sf.expr(f"explode(array({steps}))").alias("step"),
        )
        .select("*", "step.phase", sf.greatest("step.us", sf.lit(0)).alias("us"))
        .withColumn("bucket", bucket("us"))
        .groupBy(*key, "bucket")
        .agg(sf.count("*").alias("count"), sf.sum("us").alias("sum"), sf.max("us").alias("max"))
    )
    return quantiles(measured, key)


def produce_lag(records: DataFrame) -> DataFrame:
    """The time for which produces waited for replicas, by the lag of the high watermark before.

    Both are buckets of `pipeline.computation.histogram`. The partitions of a record are not usable
    for the lag, because they have the state at the time of the response.
    """
    lag = sf.expr("waited_for.need - waited_for.had")
    return (
        records.where("api = 'Produce' and waited_for.kind = 'high_watermark'")
        .select(lag.alias("lag"), sf.expr(LAST_US).alias("parked_us"))
        .where("lag >= 0")
        .groupBy(bucket("lag").alias("lag_bucket"), bucket("parked_us").alias("parked_bucket"))
        .agg(sf.count("*").alias("count"))
    )


def malformed(rows: DataFrame) -> DataFrame:
    """The rows that are not wait records, unchanged, with the reason."""
    return rows.where(sf.col(DEFECT).isNotNull()).select(DEFECT, RAW)


def records_of(rows: DataFrame) -> DataFrame:
    """The rows that are wait records."""
    return rows.where(sf.col(DEFECT).isNull()).drop(DEFECT, RAW, TOPIC_IDS)


def _window(moment: Column, window_s: int) -> Column:
    return sf.timestamp_seconds(
        sf.floor(sf.unix_micros(moment) / (window_s * 1_000_000)) * window_s
    )

"""Histograms computed by Spark: its buckets, and its percentiles compared with exact ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from integration.pipeline.conftest import INTERPRETED
from pipeline.computation.histogram import (
    QUANTILES,
    bucket,
    bucket_of,
    middle,
    middle_of,
    quantiles,
)

pytestmark = pytest.mark.jvm

COUNT = 1_000_000

# Known distributions by their inverse: the i-th of a million values has a share of
# (i + 0.5) / 1,000,000 below it. Every percentile is therefore known exactly.
INVERSES = {
    "uniform": "1 + x * 100000",
    "exponential": "-ln(1 - x) * 20000",
    "pareto": "50 * pow(1 - x, -1D / 1.2D)",
    "log_logistic": "3000 * pow(x / (1 - x), 0.5D)",
}


def test_buckets_of_spark(spark: SparkSession) -> None:
    """They equal those of Python, even next to powers of two, where Spark rounds its logarithm."""
    values = sorted({max(0, (1 << e) + d) for e in range(45) for d in (-2, -1, 0, 1, 2)})
    rows = spark.createDataFrame([(value,) for value in values], "us long")
    computed = rows.select("us", bucket("us").alias("bucket")).select(
        "us", "bucket", middle(sf.col("bucket")).alias("middle")
    )

    for row in computed.collect():
        assert (row.bucket, row.middle) == (bucket_of(row.us), middle_of(bucket_of(row.us)))


@pytest.fixture(scope="module")
def million(spark: SparkSession) -> Iterator[DataFrame]:
    """The cells of a million values of each distribution, computed once, with generated code."""
    for key in INTERPRETED:
        spark.conf.unset(key)
    names = ", ".join(f"struct('{name}' as name, {f} as v)" for name, f in INVERSES.items())
    values = (
        spark.range(COUNT)
        .selectExpr(f"(id + 0.5D) / {COUNT} as x")
        .selectExpr(f"explode(array({names})) as drawn")
    )
    cells = (
        values.selectExpr("drawn.name", "cast(floor(drawn.v) as long) as us")
        .withColumn("bucket", bucket("us"))
        .groupBy("name", "bucket")
        .agg(sf.count("*").alias("count"), sf.sum("us").alias("sum"), sf.max("us").alias("max"))
        .persist()
    )
    cells.count()
    for key, value in INTERPRETED.items():
        spark.conf.set(key, value)
    yield cells
    cells.unpersist()


def test_percentiles_of_a_million_are_within_one_percent(million: DataFrame) -> None:
    """Percentiles are within one percent of the exact ones; counts and maxima are exact."""
    exact: dict[str, Callable[[float], float]] = {
        "uniform": lambda x: 1 + x * 100_000,
        "exponential": lambda x: -math.log(1 - x) * 20_000,
        "pareto": lambda x: 50 * (1 - x) ** (-1 / 1.2),
        "log_logistic": lambda x: 3_000 * (x / (1 - x)) ** 0.5,
    }
    for row in quantiles(million, ["name"]).collect():
        value = exact[row.name]
        assert row["count"] == COUNT
        assert row["max"] == math.floor(value((COUNT - 0.5) / COUNT))
        for name, share in QUANTILES.items():
            true = math.floor(value((math.ceil(share * COUNT) - 0.5) / COUNT))
            assert abs(row[name] - true) <= 0.01 * true, (row.name, name)


def test_histograms_of_two_halves_add_up(million: DataFrame) -> None:
    """Percentiles of split and merged cells equal those of the whole."""
    halves = million.withColumn("count", sf.expr("count div 2")).union(
        million.withColumn("count", sf.expr("count - count div 2"))
    )
    columns = ["name", "count", *QUANTILES]

    def table(cells: DataFrame) -> list[tuple[Any, ...]]:
        return sorted(map(tuple, quantiles(cells, ["name"]).select(columns).collect()))

    assert table(halves) == table(million)

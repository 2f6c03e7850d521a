"""Log-linear histograms, built and read by Spark's own expressions.

A value falls into bucket ``64·e + (v >> e)`` with ``e = max(0, floor(log2 v) - 6)``: values below
128 have a bucket of their own, and every octave above has 64 buckets of equal width. The middle of
a bucket is therefore at most 1/128 from the value. Histograms of different batches, hours or
machines are merged by adding counts, which is impossible with percentiles.

The rounding of ``log2`` is harmless: next to a power of two both values of ``e`` name one bucket.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

Histogram = Sequence[tuple[float, int]]  # (value, count), sorted by value

OCTAVE = 64  # buckets per octave
_EXACT = 2 * OCTAVE  # smaller values have a bucket each
_SHIFT = OCTAVE.bit_length() - 1

QUANTILES: Mapping[str, float] = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}


def bucket(value: str) -> Column:
    """Return the bucket of a column of integers from 0 up."""
    exponent = f"greatest(0, cast(floor(log2(greatest({value}, 1))) as int) - {_SHIFT})"
    return sf.expr(f"cast({OCTAVE} * {exponent} + shiftright({value}, {exponent}) as int)")


def middle(column: Column) -> Column:
    """Return the value that represents a bucket, as an expression."""
    exponent = (column / OCTAVE).cast("int") - 1
    width = sf.pow(sf.lit(2.0), exponent)
    above = (column - OCTAVE * exponent + 0.5) * width
    return sf.when(column < _EXACT, column.cast("double")).otherwise(above)


def bucket_of(value: int) -> int:
    """Return the bucket of one value."""
    exponent = max(0, value.bit_length() - 1 - _SHIFT)
    return OCTAVE * exponent + (value >> exponent)


def middle_of(number: int) -> float:
    """Return the value that represents bucket *number*."""
    if number < _EXACT:
        return float(number)
    exponent = number // OCTAVE - 1
    return (number - OCTAVE * exponent + 0.5) * float(1 << exponent)


def quantile_of(histogram: Histogram, share: float) -> float:
    """Return the smallest value that *share* of the values do not exceed (nearest rank)."""
    needed = math.ceil(share * sum(count for _, count in histogram))
    reached = itertools.accumulate(count for _, count in histogram)
    return next(
        value for (value, _), count in zip(histogram, reached, strict=True) if count >= needed
    )


def quantiles(cells: DataFrame, key: Sequence[str]) -> DataFrame:
    """Return one row for each *key*: count, mean, percentiles and max of its cells.

    A percentile is the smallest value that this share of the values does not exceed (nearest rank),
    limited by the maximum. *cells* has ``bucket``, ``count``, ``sum``, ``max``; several rows of a
    key may have the same bucket.
    """
    gathered = cells.groupBy(*key).agg(
        sf.sum("count").alias("count"),
        (sf.sum("sum") / sf.sum("count")).alias("mean"),
        sf.max("max").alias("max"),
        sf.sort_array(sf.collect_list(sf.struct("bucket", "count"))).alias("histogram"),
    )
    found = gathered.withColumn("found", _buckets())
    values = [
        sf.least(middle(sf.col(f"found.{name}")), sf.col("max").cast("double")).alias(name)
        for name in QUANTILES
    ]
    return found.select(*key, "count", "mean", *values, "max")


def _buckets() -> Column:
    """Return for each quantile the bucket in which the running count first reaches it."""
    start = ", ".join(f"'{name}', cast(null as int)" for name in QUANTILES)
    reached = "so_far.reached + next.count"
    step = ", ".join(
        f"'{name}', if(so_far.{name} is null and {reached} >= ceil(count * {share}D),"
        f" next.bucket, so_far.{name})"
        for name, share in QUANTILES.items()
    )
    return sf.expr(
        f"""aggregate(histogram, named_struct('reached', 0L, {start}),
            (so_far, next) -> named_struct('reached', {reached}, {step}))"""
    )

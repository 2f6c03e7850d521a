"""Count, mean, percentiles and maximum of values, from all of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from integration.pipeline.reference.record import Row

SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}
EXACT = 128  # smaller values have a bucket each


def bucket(value: int) -> int:
    """The number of the bucket of a value: 64 in each octave from 128 on."""
    if value < EXACT:
        return value
    octave = value.bit_length() - EXACT.bit_length() + 1
    return 64 * octave + (value >> octave)


def middle(value: int) -> float:
    """The middle of the bucket of a value."""
    if value < EXACT:
        return float(value)
    width = 1 << (value.bit_length() - EXACT.bit_length() + 1)
    return value // width * width + width / 2


def rows(values: Iterable[tuple[Row, int]]) -> list[Row]:
    """A row for each key, with the distribution of its values."""
    by_key: dict[tuple[tuple[str, object], ...], list[int]] = defaultdict(list)
    for key, value in values:
        by_key[tuple(key.items())].append(value)
    return [{**dict(key), **distribution(found)} for key, found in by_key.items()]


def distribution(values: list[int]) -> Row:
    """The percentiles are the middles of the buckets in which the nearest ranks are."""
    ordered, count, longest = sorted(values), len(values), max(values)
    ranks = {name: math.ceil(count * share) for name, share in SHARES.items()}
    return {
        "count": count,
        "mean": sum(values) / count,
        **{name: min(middle(ordered[rank - 1]), longest) for name, rank in ranks.items()},
        "max": longest,
    }

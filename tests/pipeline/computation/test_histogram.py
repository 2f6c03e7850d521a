"""The buckets of histograms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.computation.histogram import bucket_of, middle_of, quantile_of


@given(st.integers(0, 2**45))
def test_the_middle_of_a_bucket_is_near_its_values(value: int) -> None:
    """The middle of a bucket is at most 1/128 from its values, and exact below 128."""
    assert abs(middle_of(bucket_of(value)) - value) <= value / 128


@given(st.integers(0, 2**45))
def test_buckets_are_monotonic(value: int) -> None:
    """A larger value never has a smaller bucket."""
    assert bucket_of(value) <= bucket_of(value + 1) <= bucket_of(value) + 1


def test_a_percentile_is_the_nearest_rank() -> None:
    """Of ten values, the fifth is the median, and the ninth is the 90th percentile."""
    histogram = [(1.0, 4), (2.0, 5), (3.0, 1)]

    assert [quantile_of(histogram, share) for share in (0.4, 0.5, 0.9, 0.901, 1)] == [1, 2, 2, 3, 3]

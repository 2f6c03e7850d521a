"""The buckets of histograms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.histogram import bucket_of, middle_of


@given(st.integers(0, 2**45))
def test_the_middle_of_a_bucket_is_near_its_values(value: int) -> None:
    """At most 1/128 from each, and exact below 128."""
    assert abs(middle_of(bucket_of(value)) - value) <= value / 128


@given(st.integers(0, 2**45))
def test_a_larger_value_has_no_smaller_bucket(value: int) -> None:
    """Or the running count would not be one."""
    assert bucket_of(value) <= bucket_of(value + 1) <= bucket_of(value) + 1

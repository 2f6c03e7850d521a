"""Internal topics and the coordinators of keys."""

from __future__ import annotations

import pytest

from broker.coordinators.internal_topic import partition_for


@pytest.mark.parametrize(
    ("key", "partition"),
    [("", 0), ("a", 47), ("my-group", 12), ("console-consumer-1", 24), ("polygenelubricants", 0)],
)
def test_a_key_has_the_same_partition_as_in_kafka(key: str, partition: int) -> None:
    """``Utils.abs(key.hashCode()) % 50``."""
    assert partition_for(key, 50) == partition

"""Where groups are looked after."""

from __future__ import annotations

import pytest

from broker.groups.offsets_topic import partition_for


@pytest.mark.parametrize(
    ("group", "partition"),
    [("", 0), ("a", 47), ("my-group", 12), ("console-consumer-1", 24), ("polygenelubricants", 0)],
)
def test_a_group_has_the_partition_that_kafka_gives_it(group: str, partition: int) -> None:
    """``Utils.abs(groupId.hashCode()) % 50``."""
    assert partition_for(group, 50) == partition

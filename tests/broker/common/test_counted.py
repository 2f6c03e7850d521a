"""The words for a number of things."""

from __future__ import annotations

from broker.common.counted import counted


def test_one_has_the_singular() -> None:
    """Every other number has the plural."""
    assert [counted(count, "partition") for count in (0, 1, 2)] == [
        "0 partitions",
        "1 partition",
        "2 partitions",
    ]

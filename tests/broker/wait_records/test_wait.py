"""The defaults of a wait."""

from __future__ import annotations

from collections.abc import Callable

from broker.wait_records.causes import Cause
from broker.wait_records.wait import Wait


class PlainWait(Wait):
    """A wait that declares no more than it must."""

    purgatory = "Produce"

    def condition(self) -> None:
        return None

    def cause(self, present: Callable[[], Cause]) -> Cause:
        return present()


def test_a_wait_has_no_limit_and_no_partitions_by_default() -> None:
    """As one that has no operation in a purgatory of partitions."""
    wait = PlainWait()

    assert (wait.timeout_ms, wait.remaining_ms(0.0), wait.checks) == (None, None, 0)
    assert (list(wait.partitions()), list(wait.partition_facts())) == ([], [])
    assert not wait.is_follower

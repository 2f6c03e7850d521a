"""DelayedShareFetch: which partitions it locks, and when it completes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from purgatories.action_queue import ActionQueue
from purgatories.operations.delayed_share_fetch import DelayedShareFetch
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock


class Partitions:
    """Partitions by name with their available bytes; ``owners`` have the fetch locks."""

    def __init__(self, **available: int | None) -> None:
        self.available = available
        self.owners: dict[str, object] = {}
        self.empty: set[str] = set()
        self.lock_tries = 0
        self.limit = 1000
        self.checked: list[str] = []

    def is_at_end(self) -> bool:
        return not any(available != 0 for available in self.available.values())

    def try_lock(self, key: str, owner: object) -> bool:
        self.lock_tries += 1
        if key in self.empty or self.owners.get(key, owner) is not owner:
            return False
        self.owners[key] = owner
        return True

    def unlock(self, key: str, owner: object) -> None:
        assert self.owners.pop(key) is owner

    def available_bytes(self, key: str, /) -> int | None:
        return self.available[key]

    def begin_check(self, locked: Sequence[str]) -> list[int]:
        return [self.limit] * len(locked)

    def check_waiting(self, key: str) -> None:
        assert key not in self.owners
        self.checked.append(key)


class Bench:
    """Fetches of the partitions, in a purgatory in virtual time."""

    def __init__(self, **available: int | None) -> None:
        self.clock = ManualClock()
        self.partitions = Partitions(**available)
        self.timer = SystemTimer("share", now_ms=self.clock)
        self.purgatory: DelayedOperationPurgatory[DelayedShareFetch[str]] = (
            DelayedOperationPurgatory("share", self.timer)
        )
        self.actions = ActionQueue()
        self.results: list[list[str]] = []

    def fetch(self, *keys: str, min_bytes: int = 10) -> DelayedShareFetch[str]:
        """Start a fetch that waits at most 100 ms."""
        operation = DelayedShareFetch(
            100, min_bytes, keys, self.partitions, self._respond, self.actions
        )
        self.purgatory.try_complete_else_watch(operation, keys)
        return operation

    def _respond(self, locked: object) -> None:
        assert isinstance(locked, list)
        assert set(locked) == set(self.partitions.owners), "it has the locks while it reads"
        self.results.append(list(locked))


def test_enough_bytes_complete_it_at_once() -> None:
    """The locks are released afterwards."""
    bench = Bench(a=10)
    assert bench.fetch("a").is_completed
    assert (bench.results, bench.partitions.owners) == ([["a"]], {})


def test_bytes_of_all_locked_partitions_count() -> None:
    """Only those that could be locked are passed on."""
    bench = Bench(a=5, b=5, c=90)
    bench.partitions.empty = {"c"}
    bench.fetch("a", "b", "c")
    assert bench.results == [["a", "b"]]


def test_the_bytes_of_a_partition_are_limited_to_its_part() -> None:
    """Only the others can complete the fetch."""
    bench = Bench(a=90, b=0)
    bench.partitions.limit = 9
    assert not bench.fetch("a", "b").is_completed
    bench.partitions.available["b"] = 1
    bench.purgatory.check_and_complete("b")
    assert bench.results == [["a", "b"]]


def test_other_fetches_are_checked_after_a_completion() -> None:
    """By queued actions, when the locks are released; they may get what it has left."""
    bench = Bench(a=10, b=10, c=10)
    bench.partitions.empty = {"c"}
    bench.fetch("a", "b", "c")
    assert bench.partitions.checked == []
    bench.actions.try_complete_actions()
    assert bench.partitions.checked == ["a", "b"]


def test_an_expiry_checks_other_fetches() -> None:
    """It also runs the queued actions; one without locks has nothing to check."""
    bench = Bench(a=1)
    bench.fetch("a")
    bench.clock.advance_to(50, bench.timer)
    bench.partitions.owners["a"] = "another"
    bench.clock.advance_to(100, bench.timer)
    assert bench.partitions.checked == []
    del bench.partitions.owners["a"]
    bench.fetch("a")
    bench.clock.advance_to(200, bench.timer)
    assert bench.partitions.checked == ["a"]


def test_too_few_bytes_wait_without_locks() -> None:
    """Another fetch can read meanwhile."""
    bench = Bench(a=5)
    operation = bench.fetch("a")
    assert not operation.is_completed
    assert bench.partitions.owners == {}


def test_an_unknown_number_of_bytes_completes_it() -> None:
    """The read then returns what there is, or the error."""
    bench = Bench(a=None)
    assert bench.fetch("a").is_completed


def test_a_check_completes_it_when_there_is_enough() -> None:
    """The first that waits is checked first."""
    bench = Bench(a=0)
    first, second = bench.fetch("a"), bench.fetch("a")
    bench.partitions.available["a"] = 10
    bench.purgatory.check_and_complete("a", "append")
    assert first.completed_by == "append"
    assert second.is_completed


def test_the_timeout_takes_what_there_is() -> None:
    """The minimum does not count any more; partitions that cannot be locked are left out."""
    bench = Bench(a=5, b=0)
    bench.fetch("a", "b")
    bench.partitions.empty = {"b"}
    drained: list[int] = []
    bench.actions.add(lambda: drained.append(1))
    bench.clock.advance_to(100, bench.timer)
    assert (bench.results, bench.partitions.owners, drained) == ([["a"]], {}, [1])
    assert bench.purgatory.expirations.total == 1


def test_a_check_at_the_end_tries_no_lock() -> None:
    """It cannot complete, whether or not it could take the locks."""
    bench = Bench(a=0)
    operation = bench.fetch("a")
    bench.purgatory.check_and_complete("a")
    assert (operation.is_completed, bench.partitions.lock_tries) == (False, 0)


def test_no_minimum_completes_it_at_the_end() -> None:
    """Zero bytes are enough for it."""
    bench = Bench(a=0)
    assert bench.fetch("a", min_bytes=0).is_completed


def test_a_locked_partition_is_left_to_its_owner() -> None:
    """One fetch reads from a partition at a time."""
    bench = Bench(a=10)
    bench.partitions.owners["a"] = "other"
    operation = bench.fetch("a")
    assert not operation.is_completed
    assert bench.partitions.owners == {"a": "other"}


def test_without_a_partition_to_acquire_it_waits_for_its_timeout() -> None:
    """Then there are no results."""
    bench = Bench(a=0)
    operation = bench.fetch("a")
    bench.partitions.empty = {"a"}
    bench.purgatory.check_and_complete("a")
    assert not operation.is_completed
    bench.clock.advance_to(100, bench.timer)
    assert bench.results == [[]]


def test_an_exception_releases_the_locks() -> None:
    """The partitions can be fetched by others."""
    bench = Bench(a=10)

    def fail(_locked: object) -> None:
        raise ZeroDivisionError

    operation = DelayedShareFetch(100, 1, ["a"], bench.partitions, fail, bench.actions)
    with pytest.raises(ZeroDivisionError):
        bench.purgatory.try_complete_else_watch(operation, ["a"])
    assert bench.partitions.owners == {}


def test_a_released_fetch_does_not_keep_its_callback() -> None:
    """It may remain in the lists of other keys until these are purged."""
    bench = Bench(a=10)
    operation = bench.fetch("a")
    kept = sys.getrefcount(bench)

    operation.release()

    assert sys.getrefcount(bench) == kept - 1

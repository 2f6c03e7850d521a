"""Tests of an operation on several partitions."""

from __future__ import annotations

import sys

from purgatories.operations.delayed_partitions import DelayedPartitions

REQUEST_TIMED_OUT = 7
FAILED_BEFORE = 3


class Status:
    """A partition with an error; 0 if it is pending."""

    def __init__(self, error: int = 0) -> None:
        self.acks_pending = False
        self.error = error


class Waiting(DelayedPartitions[str, Status]):
    """Decides a partition without an error once its key is in the set of ready keys."""

    def __init__(self, statuses: dict[str, Status]) -> None:
        self.responses: list[dict[str, int]] = []
        self.looked_at: list[str] = []
        self.ready: set[str] = set()
        super().__init__(1000, statuses, self._respond)

    def decide(self, key: str, status: Status) -> bool:
        self.looked_at.append(key)
        if key in self.ready:
            status.error = 0
        return key in self.ready

    def _respond(self, statuses: dict[str, Status]) -> None:
        self.responses.append({key: status.error for key, status in statuses.items()})


def test_it_completes_with_the_last_partition() -> None:
    """The operation waits while one partition is undecided."""
    waiting = Waiting({"a": Status(), "b": Status()})
    waiting.ready = {"a"}

    assert not waiting.safe_try_complete()
    waiting.ready = {"a", "b"}
    assert waiting.safe_try_complete()
    assert waiting.responses == [{"a": 0, "b": 0}]


def test_decided_partition_is_not_checked_again() -> None:
    """A decision is final, even if the partition's state changes afterwards."""
    waiting = Waiting({"a": Status(), "b": Status()})
    waiting.ready = {"a"}

    waiting.safe_try_complete()
    waiting.safe_try_complete()

    assert waiting.looked_at == ["a", "b", "b"]


def test_failed_partition_is_not_waited_for() -> None:
    """A partition that failed before keeps its error and is not checked."""
    waiting = Waiting({"a": Status(FAILED_BEFORE), "b": Status()})
    waiting.ready = {"b"}

    assert waiting.safe_try_complete()
    assert waiting.looked_at == ["b"]
    assert waiting.responses == [{"a": FAILED_BEFORE, "b": 0}]


def test_pending_partitions_time_out() -> None:
    """At the timeout pending partitions have the preset error REQUEST_TIMED_OUT."""
    waiting = Waiting({"a": Status(), "b": Status()})
    waiting.ready = {"a"}
    waiting.safe_try_complete()

    waiting.run()

    assert waiting.responses == [{"a": 0, "b": REQUEST_TIMED_OUT}]


def test_a_released_operation_does_not_keep_its_callback() -> None:
    """It may remain in the lists of other keys until these are purged."""
    statuses, responses = {"a": Status()}, [dict[str, Status]()]
    waiting = Waiting(statuses)
    DelayedPartitions.__init__(waiting, 1000, statuses, responses.append)
    waiting.force_complete()
    kept = sys.getrefcount(responses)

    waiting.release()

    assert sys.getrefcount(responses) == kept - 1

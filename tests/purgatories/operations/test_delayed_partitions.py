"""An operation over several partitions, each decided by itself."""

from __future__ import annotations

from purgatories.operations.delayed_partitions import DelayedPartitions

REQUEST_TIMED_OUT = 7
FAILED_BEFORE = 3


class Status:
    """A partition with an error, 0 for one that may wait."""

    def __init__(self, error: int = 0) -> None:
        self.acks_pending = False
        self.error = error


class Waiting(DelayedPartitions[str, Status]):
    """A partition is decided, without an error, once its key is among those ready."""

    def __init__(self, statuses: dict[str, Status]) -> None:
        self.answers: list[dict[str, int]] = []
        self.looked_at: list[str] = []
        self.ready: set[str] = set()
        super().__init__(1000, statuses, self._answer)

    def decide(self, key: str, status: Status) -> bool:
        self.looked_at.append(key)
        if key in self.ready:
            status.error = 0
        return key in self.ready

    def _answer(self, statuses: dict[str, Status]) -> None:
        self.answers.append({key: status.error for key, status in statuses.items()})


def test_it_completes_with_the_last_partition() -> None:
    """One that is undecided holds back the answer of all."""
    waiting = Waiting({"a": Status(), "b": Status()})
    waiting.ready = {"a"}

    assert not waiting.safe_try_complete()
    waiting.ready = {"a", "b"}
    assert waiting.safe_try_complete()
    assert waiting.answers == [{"a": 0, "b": 0}]


def test_what_is_decided_is_never_looked_at_again() -> None:
    """A result sticks, whatever becomes of the partition afterwards."""
    waiting = Waiting({"a": Status(), "b": Status()})
    waiting.ready = {"a"}

    waiting.safe_try_complete()
    waiting.safe_try_complete()

    assert waiting.looked_at == ["a", "b", "b"]


def test_what_failed_before_is_not_waited_for() -> None:
    """Its error stays, and nobody asks about it."""
    waiting = Waiting({"a": Status(FAILED_BEFORE), "b": Status()})
    waiting.ready = {"b"}

    assert waiting.safe_try_complete()
    assert waiting.looked_at == ["b"]
    assert waiting.answers == [{"a": FAILED_BEFORE, "b": 0}]


def test_time_that_runs_out_answers_what_is_pending_as_timed_out() -> None:
    """The error was set beforehand: there is nothing to do at the end but to answer."""
    waiting = Waiting({"a": Status(), "b": Status()})
    waiting.ready = {"a"}
    waiting.safe_try_complete()

    waiting.run()

    assert waiting.answers == [{"a": 0, "b": REQUEST_TIMED_OUT}]

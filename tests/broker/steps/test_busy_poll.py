"""Short waits are followed by polling, long ones by sleep."""

from __future__ import annotations

import sys

import pytest

from broker.steps.limits import BUSY_POLL_MS

if sys.platform != "linux":
    pytest.skip("other systems do not poll", allow_module_level=True)

from broker.steps.busy_poll import BusyPoll, Ready

READY: Ready = [(7, 1)]
POLLED_S = BUSY_POLL_MS / 1000
LONG_S = 60.0


class Descriptors:
    """One becomes ready at a given time; a call without a timeout takes a microsecond."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.ready_at_s = 0.0
        self.sleeps: list[float] = []
        self.call_s = 1e-6

    def clock(self) -> float:
        return self.now_s

    def poll(self, timeout_s: float, count: int) -> Ready:
        assert count == 2, "both may be ready"
        if timeout_s:
            self.sleeps.append(timeout_s)
        ends_s = self.now_s + (timeout_s or self.call_s)
        is_ready = self.ready_at_s <= ends_s
        self.now_s = ends_s
        if timeout_s and is_ready:
            self.now_s = max(ends_s - timeout_s, self.ready_at_s)
        return READY if is_ready else []


class Waits:
    """A caller that waits again and again."""

    def __init__(self, has_cores: bool = True) -> None:
        self.descriptors = Descriptors()
        self.polls = BusyPoll(self.descriptors.poll, 2, self.descriptors.clock, has_cores)

    def wait(self, ready_after_s: float, left_s: float = LONG_S) -> tuple[Ready, list[float]]:
        """What is ready, and the timeouts with which the wait has slept."""
        self.descriptors.ready_at_s = self.descriptors.now_s + ready_after_s
        self.descriptors.sleeps.clear()
        return self.polls.wait(left_s), list(self.descriptors.sleeps)

    def short(self, count: int) -> list[float]:
        """Short waits one after the other; the timeouts of the last one."""
        sleeps: list[float] = []
        for _ in range(count):
            ready, sleeps = self.wait(POLLED_S / 2)
            assert ready == READY
        return sleeps


def test_a_wait_sleeps_after_one_short_wait() -> None:
    """Two requests may be close to each other by chance."""
    assert Waits().short(2) == [LONG_S]


def test_a_wait_does_not_sleep_after_two_short_waits() -> None:
    """Nor do those after it."""
    waits = Waits()
    waits.short(2)

    assert waits.short(3) == []


def test_polling_ends_with_sleep_for_the_rest_of_the_time() -> None:
    """The descriptor that becomes ready then is returned."""
    waits = Waits()
    waits.short(3)

    ready, sleeps = waits.wait(1.0)

    assert ready == READY
    assert sleeps == [pytest.approx(LONG_S - POLLED_S)]


def test_a_wait_sleeps_after_polling_in_vain() -> None:
    """Until two waits have been short."""
    waits = Waits()
    waits.short(3)
    waits.wait(1.0)

    assert waits.short(2) == [LONG_S]
    assert waits.short(1) == []


def test_a_long_wait_is_not_counted_as_short() -> None:
    """Short waits before it do not count either."""
    waits = Waits()
    waits.short(1)
    waits.wait(POLLED_S * 2)

    assert waits.short(2) == [LONG_S]


def test_a_wait_that_is_as_short_as_the_polling_sleeps() -> None:
    """It ends when its time is over, with nothing ready."""
    waits = Waits()
    waits.short(3)

    assert waits.wait(1.0, left_s=POLLED_S / 2) == ([], [POLLED_S / 2])


def test_nothing_is_polled_for_on_one_core() -> None:
    """The client cannot run while the broker does."""
    assert Waits(has_cores=False).short(5) == [LONG_S]


def test_polling_pauses_after_another_process_has_had_the_core() -> None:
    """A process that polls gets its core back later than one that is woken."""
    waits = Waits()
    waits.short(3)
    waits.descriptors.call_s = 0.003
    assert waits.short(1) == []
    waits.descriptors.call_s = 1e-6

    assert waits.short(3) == [LONG_S]
    waits.descriptors.now_s += 0.1
    assert waits.short(1) == []

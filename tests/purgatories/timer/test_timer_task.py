"""Delays of every size, and cancelling."""

from __future__ import annotations

import math

import pytest

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import DELAY_MS_MAX, TimerTask
from tests.purgatories.manual_clock import LoggingTask, ManualClock


def test_never_added_task_counts_as_cancelled() -> None:
    """A task that has no entry yet is cancelled, as in Kafka."""
    assert TimerTask(5).is_cancelled


def test_task_that_ran_is_not_cancelled() -> None:
    """Running leaves the entry where it is; only cancel forgets it."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    task = TimerTask(5)
    timer.add(task)
    clock.advance_to(5, timer)
    assert not task.is_cancelled


def test_cancelling_twice_is_harmless() -> None:
    """The second cancel finds nothing to do."""
    timer = SystemTimer("t", now_ms=ManualClock())
    task = TimerTask(5)
    timer.add(task)
    task.cancel()
    task.cancel()
    assert timer.size == 0
    assert task.is_cancelled


@pytest.mark.parametrize(
    "delay_ms", [2**62 + 2**61, 2**63 - 1, 2**63, 10**30, 1e300, math.inf, math.nan]
)
def test_enormous_delay_neither_overflows_nor_fires(delay_ms: float) -> None:
    """Kafka's timer runs a task of Long.MAX_VALUE at once; here it waits as long as it says."""
    clock = ManualClock(12345.678)
    timer = SystemTimer("t", now_ms=clock)
    output: list[int] = []
    timer.add(LoggingTask(delay_ms, 1, output))
    clock.advance_to(2.0**62, timer)
    assert output == []
    assert timer.size == 1


@pytest.mark.parametrize("delay_ms", [0, -1, -0.25, -(2**63), -(10**30), -math.inf])
def test_delay_of_nothing_or_less_is_over_at_once(delay_ms: float) -> None:
    """Such a task runs with the next advance, without the clock having moved."""
    clock = ManualClock(12345.678)
    timer = SystemTimer("t", now_ms=clock)
    output: list[int] = []
    timer.add(LoggingTask(delay_ms, 1, output))
    assert timer.advance_clock(0)
    assert output == [1]


def test_delay_is_cut_to_what_kafka_can_hold() -> None:
    """Both ends of 64 bits."""
    assert TimerTask(math.inf).delay_ms == DELAY_MS_MAX
    assert TimerTask(-math.inf).delay_ms == -DELAY_MS_MAX


def test_expiration_is_when_the_delay_is_over() -> None:
    """By the timer's clock, on the next tick; it starts anew when the task is added anew."""
    clock = ManualClock(100.25)
    timer = SystemTimer("t", now_ms=clock)
    task = TimerTask(5)
    timer.add(task)
    assert task.expiration_ms == 106
    clock.now_ms = 103
    timer.add(task)
    assert task.expiration_ms == 108


def test_task_waits_while_it_is_in_the_wheel() -> None:
    """Not before it is added, nor when it is due or cancelled."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    task = TimerTask(5)
    assert not task.is_waiting
    timer.add(task)
    assert task.is_waiting
    clock.advance_to(5, timer)
    assert not task.is_waiting
    timer.add(task)
    task.cancel()
    assert not task.is_waiting

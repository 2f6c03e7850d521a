"""Tests of extreme delays, and of cancelling."""

from __future__ import annotations

import math

import pytest

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import DELAY_MS_MAX, TimerTask
from tests.purgatories.manual_clock import LoggingTask, ManualClock


def test_never_added_task_counts_as_cancelled() -> None:
    """A task without an entry counts as cancelled, as in Kafka."""
    assert TimerTask(5).is_cancelled


def test_task_that_ran_is_not_cancelled() -> None:
    """A task keeps its entry after it ran; only cancel clears it."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    task = TimerTask(5)
    timer.add(task)
    clock.advance_to(5, timer)
    assert not task.is_cancelled


def test_cancelling_twice_is_harmless() -> None:
    """The second cancel has no effect."""
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
    """A task with an enormous delay waits; in Kafka one of Long.MAX_VALUE runs at once."""
    clock = ManualClock(12345.678)
    timer = SystemTimer("t", now_ms=clock)
    output: list[int] = []
    timer.add(LoggingTask(delay_ms, 1, output))
    clock.advance_to(2.0**62, timer)
    assert output == []
    assert timer.size == 1


@pytest.mark.parametrize("delay_ms", [0, -1, -0.25, -(2**63), -(10**30), -math.inf])
def test_delay_of_nothing_or_less_is_over_at_once(delay_ms: float) -> None:
    """Such a task runs in the next advance_clock at the same time."""
    clock = ManualClock(12345.678)
    timer = SystemTimer("t", now_ms=clock)
    output: list[int] = []
    timer.add(LoggingTask(delay_ms, 1, output))
    assert timer.advance_clock(0)
    assert output == [1]


def test_delay_is_cut_to_what_kafka_can_hold() -> None:
    """Delays are limited to 64 bits at both ends."""
    assert TimerTask(math.inf).delay_ms == DELAY_MS_MAX
    assert TimerTask(-math.inf).delay_ms == -DELAY_MS_MAX


def test_expiration_is_when_the_delay_is_over() -> None:
    """The expiration is on the next tick of the timer's clock, and changes when added again."""
    clock = ManualClock(100.25)
    timer = SystemTimer("t", now_ms=clock)
    task = TimerTask(5)
    timer.add(task)
    assert task.expiration_ms == 106
    clock.now_ms = 103
    timer.add(task)
    assert task.expiration_ms == 108


def test_task_waits_while_it_is_in_the_wheel() -> None:
    """is_waiting is False before the task is added, when it is due and when it is cancelled."""
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

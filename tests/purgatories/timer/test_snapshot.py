"""Tests of the snapshot of a timer."""

from __future__ import annotations

import json

from purgatories.timer.snapshot import snapshot
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from tests.purgatories.manual_clock import ManualClock, MockOperation


def test_a_snapshot_has_each_level_and_its_buckets_in_use() -> None:
    """A task is in the bucket of the finest wheel that covers its expiration."""
    timer = SystemTimer("t", now_ms=ManualClock(), wheel_size=20)
    timer.add(TimerTask(19))
    timer.add(MockOperation(25))
    timer.add(MockOperation(26))
    shot = snapshot(timer)
    assert (shot["name"], shot["size"], shot["queued_buckets"]) == ("t", 3, 2)
    assert shot["next_expiration_ms"] == 19
    fine, coarse = shot["levels"]
    assert (fine["tick_ms"], fine["end_ms"], coarse["tick_ms"], coarse["end_ms"]) == (
        1,
        20,
        20,
        400,
    )
    assert fine["buckets"] == [{"index": 19, "at_ms": 19, "tasks": {"TimerTask": 1}}]
    assert coarse["buckets"] == [{"index": 1, "at_ms": 20, "tasks": {"MockOperation": 2}}]


def test_times_of_a_short_tick_are_fractions() -> None:
    """A whole number of milliseconds has no decimal places in JSON, in both builds."""
    timer = SystemTimer("t", now_ms=ManualClock(1000), tick_ms=0.125)
    timer.add(TimerTask(0.3))
    timer.add(TimerTask(3))
    shot = snapshot(timer)
    fine, coarse = shot["levels"]
    assert (fine["tick_ms"], fine["end_ms"], coarse["tick_ms"]) == (0.125, 1002.5, 2.5)
    assert fine["buckets"] == [{"index": 3, "at_ms": 1000.375, "tasks": {"TimerTask": 1}}]
    assert shot["next_expiration_ms"] == 1000.375
    assert json.dumps((fine["current_time_ms"], coarse["end_ms"])) == "[1000, 1050]"


def test_tasks_of_private_classes_are_listed_without_the_underscore() -> None:
    """Their class is the kind that a reader of the snapshot sees."""

    class _Cleanup(TimerTask):
        pass

    timer = SystemTimer("t", now_ms=ManualClock())
    timer.add(_Cleanup(5))
    assert snapshot(timer)["levels"][0]["buckets"][0]["tasks"] == {"Cleanup": 1}


def test_a_cancelled_task_is_in_no_bucket_while_its_bucket_is_queued() -> None:
    """As in Kafka, an empty bucket stays in the queue until it fires."""
    timer = SystemTimer("t", now_ms=ManualClock())
    task = TimerTask(5)
    timer.add(task)
    task.cancel()
    shot = snapshot(timer)
    assert (shot["size"], shot["queued_buckets"]) == (0, 1)
    assert shot["levels"][0]["buckets"] == []


def test_demotions_count_the_moves_to_finer_wheels() -> None:
    """A task of 450 ms moves from the third wheel to the second, and to the first."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    timer.add(TimerTask(450))
    timer.add(TimerTask(3))
    clock.advance_to(449, timer)
    assert snapshot(timer)["demotions"] == 2
    clock.advance_to(450, timer)
    assert snapshot(timer)["demotions"] == 2


def test_the_current_bucket_follows_the_clock_of_its_wheel() -> None:
    """Its index is the wheel's time in ticks, modulo the number of buckets."""
    clock = ManualClock(45.0)
    timer = SystemTimer("t", now_ms=clock)
    assert snapshot(timer)["levels"][0]["current_index"] == 5


def test_an_idle_timer_has_no_next_expiration() -> None:
    """The snapshot can be encoded as JSON, in which infinity does not exist."""
    shot = snapshot(SystemTimer("t", now_ms=ManualClock()))
    assert shot["next_expiration_ms"] is None
    assert json.loads(json.dumps(shot)) == shot

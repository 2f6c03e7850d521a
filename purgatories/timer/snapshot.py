"""What a timer holds at one moment: its wheels, their buckets in use, and the queue's head.

    snapshot(timer) -> {"name": "Fetch", "now_ms": 1003, "size": 3, "next_expiration_ms": 1020, ...
                        "levels": [{"tick_ms": 1, ..., "buckets": [{"at_ms": 1020, ...}]}, ...]}
The record can be encoded as JSON. It is made under the timer's lock, in time proportional to the
number of waiting tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import inf
from typing import TypedDict

from .system_timer import SystemTimer
from .timer_task import TimerTask
from .timer_task_list import TimerTaskList
from .timing_wheel import TimingWheel


class BucketSnapshot(TypedDict):
    """A bucket that holds tasks: when it fires, and how many tasks of each kind it holds."""

    index: int  # its position in the wheel's array
    at_ms: float
    tasks: dict[str, int]


class LevelSnapshot(TypedDict):
    """One wheel: its tick, its number of buckets, the interval it covers, and its buckets."""

    tick_ms: float  # the duration of a bucket
    wheel_size: int
    current_time_ms: float
    end_ms: float
    current_index: int  # of the current bucket
    buckets: list[BucketSnapshot]


class TimerSnapshot(TypedDict):
    """A timer: finest level first; times are those of its clock, in ms."""

    name: str
    now_ms: float
    size: int  # waiting tasks, in all levels
    next_expiration_ms: float | None  # of the queue's head
    queued_buckets: int  # buckets in the queue, with or without tasks
    demotions: int  # tasks that have moved to a finer wheel since the start
    levels: list[LevelSnapshot]


def kind_of(task: TimerTask) -> str:
    """Return the name of the task's class, without the underscore of a private class."""
    return type(task).__name__.lstrip("_")


def snapshot(timer: SystemTimer, kind: Callable[[TimerTask], str] = kind_of) -> TimerSnapshot:
    """Return the state of *timer*; *kind* says by what its tasks are counted in a bucket."""
    with timer.lock:
        next_ms = timer.next_expiration_ms
        return TimerSnapshot(
            name=timer.name,
            now_ms=timer.now_ms(),
            size=timer.size,
            next_expiration_ms=None if abs(next_ms) == inf else whole(next_ms),
            queued_buckets=timer.queued_buckets,
            demotions=timer.demotions,
            levels=[_level(wheel, timer.tick_ms, kind) for wheel in timer.wheels()],
        )


def whole(ms: float) -> float:
    """Return *ms* as an int if it is a whole number; otherwise it is a fraction of a short tick."""
    return int(ms) if ms % 1 == 0 else ms


def _level(wheel: TimingWheel, tick_ms: float, kind: Callable[[TimerTask], str]) -> LevelSnapshot:
    return LevelSnapshot(
        tick_ms=whole(wheel.bucket_ticks * tick_ms),
        wheel_size=wheel.wheel_size,
        current_time_ms=whole(wheel.now_ticks * tick_ms),
        end_ms=whole(wheel.end_ticks * tick_ms),
        current_index=wheel.now_ticks // wheel.bucket_ticks % wheel.wheel_size,
        buckets=[
            BucketSnapshot(index=index, at_ms=whole(bucket.expiration_ticks * tick_ms), tasks=tasks)
            for index, bucket in enumerate(wheel.buckets)
            if (tasks := _tasks(bucket, kind))
        ],
    )


def _tasks(bucket: TimerTaskList, kind: Callable[[TimerTask], str]) -> dict[str, int]:
    return dict(Counter(kind(task) for task in bucket))

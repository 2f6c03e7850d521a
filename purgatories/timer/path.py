"""The path of tasks through the wheels, as snapshots: `python -m purgatories.timer 450 446 19`.

    at 0 ms     add 450, 446, 19   -> snapshot
    at 19 ms    19 runs            -> snapshot
    at 400 ms   450 and 446 move   -> snapshot ...
Nothing waits in real time: a real timer runs on a clock that jumps from bucket to bucket.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

from .snapshot import TimerSnapshot, snapshot, whole
from .system_timer import SystemTimer
from .timer_task import TimerTask


class Step(TypedDict):
    """What happens at one moment, and the timer after it."""

    events: list[str]
    timer: TimerSnapshot


class _Labelled(TimerTask):
    """A task that reports its expiry to *log*."""

    def __init__(self, delay_ms: int, log: list[str]) -> None:
        super().__init__(delay_ms)
        self.label = f"{delay_ms:,} ms"
        self._log = log

    def run(self) -> None:
        self._log.append(f"the task of {self.label} runs")


def path(
    delays_ms: Sequence[int],
    cancelled_at_ms: Mapping[int, int] | None = None,
    *,
    tick_ms: float = 1,
    wheel_size: int = 20,
) -> Iterator[Step]:
    """Yield each step of tasks with *delays_ms* that are added at time 0.

    *cancelled_at_ms* maps delays to the times at which their tasks are cancelled.
    """
    now_ms: float = 0
    events: list[str] = []
    timer = SystemTimer("path", now_ms=lambda: now_ms, tick_ms=tick_ms, wheel_size=wheel_size)
    tasks = {delay_ms: _Labelled(delay_ms, events) for delay_ms in delays_ms}
    cancellations = sorted(
        ((at_ms, delay_ms) for delay_ms, at_ms in (cancelled_at_ms or {}).items()), reverse=True
    )
    for task in tasks.values():
        timer.add(task)
        events.append(f"the task of {task.label} is added")
    while True:
        before = _places(timer)
        if timer.next_expiration_ms <= now_ms:
            timer.advance_clock(0)
            events += _moves(before, _places(timer))
        while cancellations and cancellations[-1][0] <= now_ms:
            task = tasks[cancellations.pop()[1]]
            if task.is_waiting:
                task.cancel()
                events.append(f"the task of {task.label} is cancelled")
        if timer.next_expiration_ms > now_ms:
            state = snapshot(timer, _label)
            state["now_ms"] = now_ms  # a compiled timer makes a float of an integer
            yield Step(events=list(events), timer=state)
            events.clear()
            next_ms = min([timer.next_expiration_ms, *(at_ms for at_ms, _ in cancellations[-1:])])
            if not timer.size:
                return
            now_ms = whole(next_ms)


def _label(task: TimerTask) -> str:
    assert isinstance(task, _Labelled)
    return task.label


def _places(timer: SystemTimer) -> dict[str, tuple[int, float]]:
    """The level (from 1) and the bucket's time of each waiting task."""
    return {
        label: (number, bucket["at_ms"])
        for number, level in enumerate(snapshot(timer, _label)["levels"], 1)
        for bucket in level["buckets"]
        for label in bucket["tasks"]
    }


def _moves(
    before: dict[str, tuple[int, float]], after: dict[str, tuple[int, float]]
) -> Iterator[str]:
    for label, (level, _) in before.items():
        moved = after.get(label)
        if moved is not None and moved[0] != level:
            yield f"the task of {label} moves from level {level} to level {moved[0]}"

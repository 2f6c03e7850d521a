"""Tests of the path of tasks through the wheels."""

from __future__ import annotations

from typing import Any

import pytest

from purgatories.timer.path import Step, path


def places(step: Step) -> dict[str, tuple[int, float]]:
    """The level (from 1) and the time of the bucket of each task."""
    return {
        label: (number, bucket["at_ms"])
        for number, level in enumerate(step["timer"]["levels"], 1)
        for bucket in level["buckets"]
        for label in bucket["tasks"]
    }


def test_a_task_of_450_ms_moves_down_two_levels() -> None:
    """It waits in the third wheel until 400, in the second until 440, in the first until 450."""
    steps = list(path([450]))
    assert [step["timer"]["now_ms"] for step in steps] == [0, 400, 440, 450]
    assert [places(step).get("450 ms") for step in steps] == [(3, 400), (2, 440), (1, 450), None]
    assert [step["events"] for step in steps] == [
        ["the task of 450 ms is added"],
        ["the task of 450 ms moves from level 3 to level 2"],
        ["the task of 450 ms moves from level 2 to level 1"],
        ["the task of 450 ms runs"],
    ]


def test_a_cancelled_task_leaves_its_bucket_at_that_time() -> None:
    """Its bucket still fires; the other task of the bucket moves on."""
    steps = list(path([450, 446], {446: 100}))
    cancelled = next(step for step in steps if step["timer"]["now_ms"] == 100)
    assert cancelled["events"] == ["the task of 446 ms is cancelled"]
    assert places(cancelled) == {"450 ms": (3, 400)}
    assert steps[-1]["events"] == ["the task of 450 ms runs"]


def test_a_task_without_delay_runs_at_once() -> None:
    """It is in no bucket."""
    (step,) = path([0])
    assert step["events"] == ["the task of 0 ms is added", "the task of 0 ms runs"]
    assert places(step) == {}


@pytest.mark.parametrize("delay_ms", [1, 19, 20, 399, 400, 8000, 123_456_789, 10**12])
@pytest.mark.parametrize(
    "shape", [{}, {"wheel_size": 2}, {"tick_ms": 7, "wheel_size": 3}, {"tick_ms": 0.125}]
)
def test_every_path_ends_when_the_task_runs(delay_ms: int, shape: dict[str, Any]) -> None:
    """At its delay, rounded up to a tick, for any number of levels."""
    tick_ms = shape.get("tick_ms", 1)
    *_, last = path([delay_ms], **shape)
    assert last["timer"]["now_ms"] == -(-delay_ms // tick_ms) * tick_ms
    assert last["events"][-1] == f"the task of {delay_ms:,} ms runs"

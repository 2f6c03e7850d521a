"""Tests of the action queue."""

from __future__ import annotations

import logging

import pytest

from purgatories.action_queue import ActionQueue


def test_actions_run_in_order_and_once() -> None:
    """Actions run first in, first out; a second drain runs none."""
    queue = ActionQueue()
    done: list[int] = []
    for number in range(3):
        queue.add(lambda number=number: done.append(number))
    queue.try_complete_actions()
    queue.try_complete_actions()
    assert done == [0, 1, 2]


def test_an_action_gets_its_arguments() -> None:
    """They are kept until the drain."""
    queue = ActionQueue()
    done: list[tuple[str, int]] = []
    queue.add(lambda *each: done.append(each), "a", 1)
    assert done == []
    queue.try_complete_actions()
    assert done == [("a", 1)]


def test_actions_added_by_actions_wait_for_the_next_drain() -> None:
    """A drain runs only the actions that are queued when it starts, so it ends."""
    queue = ActionQueue()
    done: list[str] = []

    def first() -> None:
        done.append("first")
        queue.add(lambda: done.append("second"))

    queue.add(first)
    queue.try_complete_actions()
    assert done == ["first"]
    assert len(queue) == 1
    queue.try_complete_actions()
    assert done == ["first", "second"]


def test_action_that_raises_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    """The exception is logged, and the other actions run."""
    queue = ActionQueue()
    done: list[int] = []
    queue.add(lambda: 1 // 0)
    queue.add(lambda: done.append(1))
    with caplog.at_level(logging.ERROR):
        queue.try_complete_actions()
    assert done == [1]
    assert "ZeroDivisionError" in caplog.text


def test_drain_within_an_action_runs_what_is_left() -> None:
    """A nested drain runs the remaining actions, and the outer one then stops."""
    queue = ActionQueue()
    done: list[int] = []
    queue.add(queue.try_complete_actions)
    queue.add(lambda: done.append(1))
    queue.try_complete_actions()
    assert done == [1]

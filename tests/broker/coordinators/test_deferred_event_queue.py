"""Events that wait for replication (mirrors ``DeferredEventQueueTest``)."""

from __future__ import annotations

import pytest

from broker.coordinators.deferred_event_queue import DeferredEvent, DeferredEventQueue
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue


class Queue:
    """A queue; ``completed`` are the events with their errors, in the order of completion."""

    def __init__(self) -> None:
        self.actions = ActionQueue()
        self.failed: list[str] = []
        self.queue = DeferredEventQueue(lambda _what, error: self.failed.append(str(error)))
        self.completed: list[tuple[str, ErrorCode]] = []

    def add(self, offset: int, name: str) -> DeferredEvent:
        event = DeferredEvent(lambda error: self.completed.append((name, error)), 0, self.actions)
        self.queue.add(offset, event)
        return event


@pytest.fixture
def world() -> Queue:
    return Queue()


def test_events_complete_up_to_an_offset(world: Queue) -> None:
    """Mirrors testCompleteUpTo; an event that waits for that very offset completes, too."""
    for offset in (1, 3, 3, 4):
        world.add(offset, f"at {offset}")
    world.queue.complete_up_to(3)

    assert world.completed == [
        ("at 1", ErrorCode.NONE),
        ("at 3", ErrorCode.NONE),
        ("at 3", ErrorCode.NONE),
    ]
    assert len(world.queue) == 1


def test_all_events_fail_with_the_same_error(world: Queue) -> None:
    """Mirrors testFailOnOrder."""
    world.add(1, "a")
    world.add(2, "b")
    world.queue.fail_all(ErrorCode.NOT_COORDINATOR)

    assert world.completed == [
        ("a", ErrorCode.NOT_COORDINATOR),
        ("b", ErrorCode.NOT_COORDINATOR),
    ]
    assert len(world.queue) == 0


def test_an_event_completes_once(world: Queue) -> None:
    """An event that has timed out stays in the queue and is not called again."""
    world.add(1, "a").run()
    world.queue.complete_up_to(1)

    assert world.completed == [("a", ErrorCode.COORDINATOR_NOT_AVAILABLE)]


def test_a_timeout_runs_the_actions_that_its_callback_queues(world: Queue) -> None:
    """No request ends after a timeout."""
    ran: list[str] = []

    def on_replicated(_error: ErrorCode) -> None:
        world.actions.add(lambda: ran.append("action"))

    DeferredEvent(on_replicated, 0, world.actions).run()

    assert ran == ["action"]


def test_an_exception_does_not_affect_other_events(world: Queue) -> None:
    """It is reported; the callbacks after it are called."""
    world.queue.add(1, DeferredEvent(lambda _: [].pop(), 0, world.actions))
    world.add(1, "b")
    world.queue.complete_up_to(1)

    assert world.completed == [("b", ErrorCode.NONE)]
    assert world.failed == ["pop from empty list"]

"""Events that wait until an offset is replicated (Kafka's ``DeferredEventQueue``)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.on_error import OnError
from purgatories.timer.timer_task import TimerTask

# Called once: with NONE when the records are replicated, or with the error that ends the wait.
OnReplicated = Callable[[ErrorCode], None]


class DeferredEvent(TimerTask):
    """Waits for replication; completed once, by the queue or by the timer."""

    __slots__ = ("_actions", "_on_replicated")

    def __init__(self, on_replicated: OnReplicated, timeout_ms: int, actions: ActionQueue) -> None:
        super().__init__(timeout_ms)
        self._actions = actions
        self._on_replicated: OnReplicated | None = on_replicated

    def complete(self, error: ErrorCode) -> None:
        """Call back with *error*, unless the event is completed."""
        self.cancel()
        on_replicated, self._on_replicated = self._on_replicated, None
        if on_replicated is not None:
            on_replicated(error)

    def run(self) -> None:
        """Complete it because ``offsets.commit.timeout.ms`` or the like has passed."""
        try:
            self.complete(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        finally:
            self._actions.try_complete_actions()


class DeferredEventQueue:
    """The events of a partition, in the order of the offsets that they wait for."""

    __slots__ = ("_events", "_on_error")

    def __init__(self, on_error: OnError) -> None:
        # Invariant: the offsets never decrease, because an event waits for the end of the log.
        self._events: deque[tuple[int, DeferredEvent]] = deque()
        self._on_error = on_error

    def __len__(self) -> int:
        return len(self._events)

    def add(self, offset: int, event: DeferredEvent) -> None:
        """Complete *event* when all records below *offset* are replicated."""
        assert not self._events or self._events[-1][0] <= offset
        self._events.append((offset, event))

    def complete_up_to(self, offset: int) -> None:
        """Complete the events that wait for *offset* or an earlier one."""
        taken = []
        while self._events and self._events[0][0] <= offset:
            taken.append(self._events.popleft()[1])
        self._complete(taken, ErrorCode.NONE)

    def fail_all(self, error: ErrorCode) -> None:
        """Complete all events with *error*."""
        taken = [event for _, event in self._events]
        self._events.clear()
        self._complete(taken, error)

    def _complete(self, events: Iterable[DeferredEvent], error: ErrorCode) -> None:
        """Complete *events*, and report exceptions from their callbacks."""
        for event in events:
            try:
                event.complete(error)
            except Exception as raised:
                self._on_error(repr(event), raised)

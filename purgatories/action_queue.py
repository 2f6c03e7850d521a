"""Work that must not be done where it was found: completions, after the caller's locks are gone.

    append, holding locks --add--> [ check key A ][ check key B ] --try_complete_actions--> later,
                                                                        without those locks
KAFKA-8334. Everybody who serves a request drains the queue when the request is through; an
operation that adds actions in its ``on_complete`` drains it in its ``on_expiration`` too, because
nobody else does so for the timer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from .on_error import OnError, log_error


class ActionQueue:
    """First in, first out; any thread may run what any other has added."""

    __slots__ = ("_actions", "_on_error")

    def __init__(self, on_error: OnError = log_error) -> None:
        self._actions: deque[Callable[[], object]] = deque()
        self._on_error = on_error

    def add(self, action: Callable[[], object]) -> None:
        """Leave *action* for the next drain."""
        self._actions.append(action)

    def try_complete_actions(self) -> None:
        """Run as many actions as there are now; those they add wait for the next call.

        An action that raises is reported to ``on_error`` and does not stop the others.
        """
        actions = self._actions
        for _ in range(len(actions)):
            try:
                action = actions.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                action()
            except Exception as error:
                self._on_error(f"action {action!r}", error)

    def __len__(self) -> int:
        return len(self._actions)

"""A queue of actions, such as completions, that must run after the caller has released its locks.

    append, holding locks --add--> [ check key A ][ check key B ] --try_complete_actions--> later,
                                                                        without those locks
KAFKA-8334. Each request handler drains the queue when the request is finished. An operation that
adds actions in its ``on_complete`` also drains the queue in its ``on_expiration``, because no
request handler does so after a timeout.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from .on_error import OnError, log_error


class ActionQueue:
    """A first-in, first-out queue; any thread may run the actions that another thread has added."""

    __slots__ = ("_actions", "_on_error")

    def __init__(self, on_error: OnError = log_error) -> None:
        self._actions: deque[tuple[Callable[..., object], tuple[Any, ...]]] = deque()
        self._on_error = on_error

    def add(self, action: Callable[..., object], *arguments: Any) -> None:
        """The next call of `try_complete_actions` calls *action* with *arguments*."""
        self._actions.append((action, arguments))

    def try_complete_actions(self) -> None:
        """Run the actions that are queued now; actions that these add wait for the next call.

        An exception from an action is reported to ``on_error``; the other actions still run.
        """
        actions = self._actions
        for _ in range(len(actions)):
            try:
                action, arguments = actions.popleft()
            except IndexError:  # another thread took it
                return
            try:
                action(*arguments)
            except Exception as error:
                self._on_error(f"action {action!r}", error)

    def __len__(self) -> int:
        return len(self._actions)

"""Work that must not be done where it was found: completions, after the caller's locks are gone.

    append, holding locks --add--> [ check key A ][ check key B ] --try_complete_actions--> later,
                                                                        without those locks
KAFKA-8334. Everybody who serves a request drains the queue when the request is through; an
operation that adds actions in its ``on_complete`` drains it in its ``on_expiration`` too, because
nobody else does so for the timer.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable

log = logging.getLogger(__name__)


class ActionQueue:
    """First in, first out; any thread may run what any other has added."""

    __slots__ = ("_actions",)

    def __init__(self) -> None:
        self._actions: deque[Callable[[], object]] = deque()

    def add(self, action: Callable[[], object]) -> None:
        """Leave *action* for the next drain."""
        self._actions.append(action)

    def try_complete_actions(self) -> None:
        """Run as many actions as there are now; those they add wait for the next call.

        An action that raises is logged and does not stop the others.
        """
        actions = self._actions
        for _ in range(len(actions)):
            try:
                action = actions.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                action()
            except Exception:
                log.exception("action %r failed", action)

    def __len__(self) -> int:
        return len(self._actions)

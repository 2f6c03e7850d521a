"""When nodes were paused or stopped last, so that a wait record can name the state of those behind.

A node that holds up a produce often runs again when the produce is completed: the end of its pause
is what completes it. So a record has the state that the node had while the request waited.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

RUNNING, PAUSED, STOPPED = "running", "paused", "stopped"


class _Hold(NamedTuple):
    state: str
    until_ms: float


class Holds:
    """The last pause or stop of each node."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self._last: dict[int, _Hold] = {}

    def begin(self, node_id: int, state: str) -> None:
        """The node is paused or stopped from now on."""
        self._last[node_id] = _Hold(state, float("inf"))

    def end(self, node_id: int) -> None:
        """The node runs from now on."""
        self._last[node_id] = self._last[node_id]._replace(until_ms=self._now_ms())

    def state_since(self, node_id: int, since_ms: float) -> str:
        """The state in which the node was held, if it was between then and now."""
        last = self._last.get(node_id)
        return RUNNING if last is None or last.until_ms < since_ms else last.state

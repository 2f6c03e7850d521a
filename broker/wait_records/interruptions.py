"""The last pause or stop of each node, for the states of replicas in wait records.

The end of a pause often completes the produce that waited for the node. The record has the state
that the node had during the wait.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

RUNNING, PAUSED, STOPPED = "running", "paused", "stopped"


class _Interruption(NamedTuple):
    state: str
    until_ms: float  # infinity while it lasts


class Interruptions:
    """The last pause or stop of each node, also after its end."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self._last: dict[int, _Interruption] = {}

    def begin(self, node_id: int, state: str) -> None:
        """Set the state of a node that pauses or stops."""
        self._last[node_id] = _Interruption(state, inf)

    def end(self, node_id: int) -> None:
        """Note that the node runs again."""
        self._last[node_id] = self._last[node_id]._replace(until_ms=self._now_ms())

    def state_since(self, node_id: int, since_ms: float) -> str:
        """The state of the last interruption that was not over at *since_ms*, else ``running``."""
        last = self._last.get(node_id)
        return RUNNING if last is None or last.until_ms < since_ms else last.state

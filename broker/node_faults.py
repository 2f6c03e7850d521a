"""Pauses, resumes, stops and starts nodes for fault rules with the action ``node``."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from broker.common.errors import StartupError, WrongState
from broker.faults.node_change import NODE_CHANGES, NodeChange
from broker.steps.schedule import schedule_once
from purgatories.timer.system_timer import SystemTimer

logger = logging.getLogger(__name__)


class Nodes(Protocol):
    """The nodes of a cluster; each method raises `WrongState` if the state does not allow it."""

    def pause(self, node_id: int) -> None:
        """Stop the fetching of the node's followers."""
        ...

    def resume(self, node_id: int) -> None:
        """Continue the fetching of the node's followers."""
        ...

    async def stop(self, node_id: int) -> None:
        """Stop the node as a crash does."""
        ...

    async def start(self, node_id: int) -> None:
        """Start a stopped node; raises `StartupError`."""
        ...


class NodeFaults:
    """Changes *nodes*; *spawn* runs a task until the cluster ends, *timer* undoes changes.

    A change that the state of the node does not allow has no effect: a node that is stopped already
    is not stopped again, and then nothing is undone.
    """

    def __init__(
        self,
        nodes: Nodes,
        timer: SystemTimer,
        spawn: Callable[[Callable[[], Awaitable[None]]], None],
    ) -> None:
        self._nodes, self._timer, self._spawn = nodes, timer, spawn

    def __call__(self, change: NodeChange) -> None:
        """Begin a change; it continues after the present request."""

        async def run() -> None:
            if await self._has_changed(change.do, change.node) and change.ms is not None:
                schedule_once(self._timer, lambda: self._undo(change), delay_ms=change.ms)

        self._spawn(run)

    def _undo(self, change: NodeChange) -> None:
        self(NodeChange(NODE_CHANGES[change.do], change.node, None))

    async def _has_changed(self, do: str, node: int) -> bool:
        try:
            match do:
                case "pause":
                    self._nodes.pause(node)
                case "resume":
                    self._nodes.resume(node)
                case "stop":
                    await self._nodes.stop(node)
                case "start":
                    await self._nodes.start(node)
        except WrongState:
            return False
        except StartupError as error:
            logger.error("node %d is not started by a fault rule: %s", node, error)
            return False
        return True

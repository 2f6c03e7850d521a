"""The place of a node in the cluster, with the reasons why it stops by itself."""

from __future__ import annotations

import logging
from dataclasses import field
from enum import StrEnum

import trio

from broker.common.errors import DiskFailed, NodeFailed
from broker.common.unexpected_errors import indented_traceback
from broker.controller.metadata.image import Broker
from broker.node import Node
from broker.wait_records.interruptions import PAUSED, RUNNING, STOPPED
from protocol.lazy_dataclass import dataclass
from protocol.printable import printable

logger = logging.getLogger(__name__)


class NodeState(StrEnum):
    """The state of a node."""

    RUNNING = RUNNING
    PAUSED = PAUSED
    STOPPED = STOPPED


@dataclass(slots=True)
class Member:
    """A node's place in the cluster; ``node`` is None while it is stopped."""

    broker: Broker
    node: Node | None = None
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    ended: trio.Event = field(default_factory=trio.Event)
    # Why the node stops or has stopped by itself, in one line; None otherwise.
    failure: str | None = None
    # Whether the node stops in an orderly way.
    is_shut_down: bool = False
    # The exception that ends the process if this was the last node.
    fatal: Exception | None = None

    def begin(self, node: Node) -> None:
        """Use a new node; it can be stopped from now on, even before its tasks have started."""
        self.node, self.scope, self.ended = node, trio.CancelScope(), trio.Event()
        self.failure = self.fatal = None
        self.is_shut_down = False
        node.logs.on_last_failed = self._disk_failed
        node.unexpected_errors.stop_node = self.failed

    def _disk_failed(self, line: str) -> None:
        self._end(
            f"it has no data directory left: {line}",
            DiskFailed(f"no data directory is left; repair the disk and start again: {line}"),
        )

    def failed(self, error: Exception) -> None:
        """Stop the node because of an exception that it cannot survive."""
        number = self.broker.node_id
        logger.error("node %d cannot continue\n%s", number, indented_traceback(error))
        line = printable(", ".join(map(_shown, _leaves(error))))
        self._end(line, NodeFailed(f"node {number} has failed: {line}"))

    def _end(self, failure: str, fatal: Exception) -> None:
        self.failure, self.fatal = failure, fatal
        self.scope.cancel()

    @property
    def state(self) -> NodeState:
        """The state of the node."""
        if self.node is None:
            return NodeState.STOPPED
        return NodeState.PAUSED if self.node.replication.paused else NodeState.RUNNING


def _leaves(error: Exception) -> list[Exception]:
    """The exceptions in a nursery's group, or the exception itself."""
    if isinstance(error, ExceptionGroup):
        return [leaf for each in error.exceptions for leaf in _leaves(each)]
    return [error]


def _shown(error: Exception) -> str:
    name, text = type(error).__name__, str(error)
    return f"{name}: {text}" if text else name

"""Nodes that are changed by fault rules, with imitated nodes in virtual time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio

from broker.common.errors import StartupError, WrongState
from broker.faults.node_change import NodeChange
from broker.node_faults import NodeFaults
from purgatories.timer.system_timer import SystemTimer


class Nodes:
    """Node 1, and the changes of its state that were allowed."""

    def __init__(self) -> None:
        self.state = "running"
        self.changes: list[str] = []
        self.start_error: Exception | None = None

    def pause(self, node_id: int) -> None:
        """Only a running node can be paused."""
        self._change("pause", "running", "paused")

    def resume(self, node_id: int) -> None:
        """Only a paused node can be resumed."""
        self._change("resume", "paused", "running")

    async def stop(self, node_id: int) -> None:
        """Only a running node can be stopped."""
        self._change("stop", "running", "stopped")

    async def start(self, node_id: int) -> None:
        """Only a stopped node can be started."""
        if self.start_error is not None:
            raise self.start_error
        self._change("start", "stopped", "running")

    def _change(self, name: str, before: str, after: str) -> None:
        if self.state != before:
            raise WrongState(f"node 1 is {self.state}")
        self.state = after
        self.changes.append(name)


class Faults:
    """`NodeFaults` with a clock of its own; its tasks run at once."""

    def __init__(self) -> None:
        self.nodes, self.now_ms = Nodes(), 0.0
        self._timer = SystemTimer("cluster", now_ms=lambda: self.now_ms)
        self.change = NodeFaults(self.nodes, self._timer, self._spawn)

    def advance(self, ms: float) -> None:
        """Move the clock, and run what is due."""
        self.now_ms += ms
        self._timer.advance_clock(0)

    def _spawn(self, task: Callable[[], Awaitable[None]]) -> None:
        async def run() -> None:
            await task()

        trio.run(run)


@pytest.fixture
def faults() -> Faults:
    """A running node."""
    return Faults()


@pytest.mark.parametrize(("do", "undo"), [("stop", "start"), ("pause", "resume")])
def test_a_change_is_undone_after_its_time(faults: Faults, do: str, undo: str) -> None:
    """By the clock of the cluster."""
    faults.change(NodeChange(do, 1, 1000))
    assert faults.nodes.changes == [do]

    faults.advance(999)
    assert faults.nodes.changes == [do]
    faults.advance(2)

    assert faults.nodes.changes == [do, undo]


def test_a_change_without_a_time_remains(faults: Faults) -> None:
    """Another rule can undo it."""
    faults.change(NodeChange("pause", 1, None))
    faults.advance(1_000_000)
    assert faults.nodes.changes == ["pause"]

    faults.change(NodeChange("resume", 1, None))

    assert faults.nodes.changes == ["pause", "resume"]


def test_a_change_that_the_state_does_not_allow_has_no_effect(faults: Faults) -> None:
    """A node that is stopped already is not started by the second rule."""
    faults.change(NodeChange("stop", 1, 5000))
    faults.change(NodeChange("stop", 1, 1000))

    faults.advance(1500)
    assert faults.nodes.changes == ["stop"]
    faults.advance(4000)

    assert faults.nodes.changes == ["stop", "start"]


def test_a_node_that_does_not_start_is_logged(
    faults: Faults, caplog: pytest.LogCaptureFixture
) -> None:
    """The cluster continues without it."""
    faults.nodes.start_error = StartupError("the port is in use")

    faults.change(NodeChange("start", 1, None))

    assert caplog.messages == ["node 1 is not started by a fault rule: the port is in use"]

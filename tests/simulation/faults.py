"""What is done to nodes, and how all of it is undone.

pause         its followers do not fetch          stop       it crashes
deafen        it hears nothing of the controller  refuse     its next change of a set is refused
hold questions, hold answers                      leave open ...or may have been made, or not
              what it asks the controller, or what that answers, comes later
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.cluster import Cluster
from broker.controller.isr_changes import IsrChange
from broker.errors import ApiError
from broker.node import Node
from broker.replication.leadership import IsrAnswer
from protocol.errors import ErrorCode
from tests.simulation.rules import Rules


class Faults:
    """The faults of one run."""

    def __init__(self, cluster: Cluster, rules: Rules) -> None:
        self._cluster = cluster
        self._rules = rules
        self._late: dict[int, list[Callable[[], None]]] = {}

    async def happen(self, kind: str, node_id: int) -> None:
        """Do one of those above to a node, or undo it."""
        cluster = self._cluster
        if kind == "start":
            await cluster.start(node_id)
            return
        node = cluster.node(node_id)
        if kind == "stop":
            self._rules.look_closely()
            self._rules.forget(node)
            self._late.pop(node_id, None)
            await cluster.stop(node_id)
        elif kind == "pause":
            cluster.pause(node_id)
        elif kind == "resume":
            cluster.resume(node_id)
        elif kind == "deafen":
            node.feed.hold()
        elif kind == "tell":
            node.feed.release()
        else:
            self._at_the_controller(kind, node)

    async def heal(self) -> None:
        """Undo everything."""
        for node_id, member in self._cluster.members.items():
            if member.node is None:
                await self._cluster.start(node_id)
                continue
            if member.node.replication.paused:
                self._cluster.resume(node_id)
            self._let_speak(member.node)
            member.node.feed.release()

    # ---------------------------------------------------------------------------- the controller

    def _at_the_controller(self, kind: str, node: Node) -> None:
        if kind == "refuse":
            node.channel.refuse_next(ApiError(ErrorCode.INELIGIBLE_REPLICA))
        elif kind == "leave open":
            node.channel.refuse_next(ApiError(ErrorCode.UNKNOWN_SERVER_ERROR))
        elif kind == "hold questions":
            node.channel.hold()
        elif kind == "hold answers":
            self._hold_answers(node)
        else:
            assert kind == "let speak"
            self._let_speak(node)

    def _hold_answers(self, node: Node) -> None:
        late = self._late.setdefault(node.id, [])
        ask = type(node.channel).alter_partition

        def alter_partition(change: IsrChange, answer: Callable[[IsrAnswer], None]) -> None:
            ask(node.channel, change, lambda result: late.append(partial(answer, result)))

        node.channel.alter_partition = alter_partition  # type: ignore[method-assign]

    def _let_speak(self, node: Node) -> None:
        node.channel.__dict__.pop("alter_partition", None)
        node.channel.release()
        for answer in self._late.pop(node.id, []):
            answer()

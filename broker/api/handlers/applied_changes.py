"""The wait of a request that has changed the cluster, until all nodes have applied the change.

In Kafka the response is sent when the controller has committed the change, and only CreateAcls and
DeleteAcls have a purgatory. Here every node decides by the change when the response is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from broker.api.request import Request
from broker.steps.queue import Signal, Slices, all_set
from broker.wait_records.causes import Cause, CauseKind
from broker.wait_records.wait import Facts, Wait

ALTER_ACLS = "AlterAcls"
_METADATA = "Metadata"
_APPLIED = Cause(CauseKind.APPLIED)


class AppliedWait(Wait):
    """Waits until each of *nodes* has applied the change, when its signal is set."""

    __slots__ = ("_nodes", "purgatory")
    is_within_work = True

    def __init__(self, purgatory: str, nodes: Mapping[int, Signal]) -> None:
        self.purgatory = purgatory
        self._nodes = nodes

    def condition(self) -> Facts:
        """The nodes that have not applied it."""
        lacking = [node for node, applied in self._nodes.items() if not applied.is_set]
        return {"kind": "applied", "nodes": lacking}

    def cause(self, _present: Callable[[], Cause]) -> Cause:
        """The last of the nodes has applied it."""
        return _APPLIED


def applied(request: Request[Any], purgatory: str = _METADATA) -> Slices[None]:
    """Wait until all nodes, except held ones, have applied all changes up to now."""
    nodes = request.services.controller.unapplied()
    if nodes:
        request.wait = AppliedWait(purgatory, nodes)
        yield all_set(nodes.values())

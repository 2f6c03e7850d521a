"""The action of a fault rule that changes the state of a node when a request arrives."""

from __future__ import annotations

from collections.abc import Collection
from types import MappingProxyType

from broker.common.choices import no_such_node
from broker.faults.actions import DELAY_MS_MAX, Action
from broker.faults.fields import Fields
from protocol.lazy_dataclass import dataclass

# Each change, and the one that undoes it.
NODE_CHANGES = MappingProxyType(
    {"pause": "resume", "resume": "pause", "stop": "start", "start": "stop"}
)
_INT_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True)
class NodeChange(Action):
    """Pauses, resumes, stops or starts ``node``, for ``ms`` milliseconds (None: for good)."""

    type = "node"
    do: str
    node: int
    ms: int | None

    def _details(self) -> dict[str, object]:
        until = {} if self.ms is None else {"ms": self.ms}
        return {"do": self.do, "node": self.node, **until}


def read_node_change(fields: Fields, nodes: Collection[int]) -> NodeChange:
    """The action that is described by JSON; raises `InvalidValue`."""
    fields.allow("type", "do", "node", "ms")
    do = fields.needed_choice("do", tuple(NODE_CHANGES))
    node = fields.needed_whole("node", 0, _INT_MAX)
    if node not in nodes:
        raise fields.refusal("node", no_such_node(node, nodes))
    return NodeChange(do, node, fields.whole("ms", 1, DELAY_MS_MAX))

"""The sessions and other timeouts of group members, which are not requests."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest
from operator import itemgetter

from broker.admin.facts.json_object import JsonObject
from broker.node import Node
from protocol.printable import printable


def member_timeouts(nodes: Iterable[Node], group: str | None, limit: int) -> list[JsonObject]:
    """At most *limit* timeouts, the next one first, as docs/reference/admin.md lists them."""
    found = (
        (timeout.expiration_ms - node.clock.now_ms(), node.id, timeout)
        for node in nodes
        for timeout in node.groups.member_timeouts()
        if group in (None, timeout.group_id)
    )
    return [
        {
            "node": node_id,
            "group": printable(timeout.group_id),
            "member": printable(timeout.member_id),
            "kind": timeout.kind,
            "timeout_ms": timeout.timeout_ms,
            "remaining_ms": max(0, int(remaining_ms)),
        }
        for remaining_ms, node_id, timeout in nsmallest(limit, found, key=itemgetter(0))
    ]

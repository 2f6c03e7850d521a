"""Transactional ids that were used for so long that their epochs are almost exhausted."""

from __future__ import annotations

from dataclasses import replace

import trio

from broker.cluster import Cluster
from broker.common.errors import ApiError
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC
from broker.node import Node
from broker.transactions.initialization import new_value
from protocol.errors import ErrorCode
from tests.simulation.coordinator_lookup import coordinator_of

_RETRY_S = 0.05
_WRITTEN_WITHIN_S = 1.0
_TIMEOUT_MS = 2000


async def use_up_epochs(cluster: Cluster, transactional_id: str, epoch: int) -> None:
    """Write a record of an unused id with that epoch, and return when it is replicated."""
    while True:
        if await _write(cluster, transactional_id, epoch):
            return
        await trio.sleep(_RETRY_S)


async def _write(cluster: Cluster, transactional_id: str, epoch: int) -> bool:
    try:
        node = _coordinator(cluster, transactional_id)
        if node is None:
            return False
        states = node.transactions.states
        entry = states.get(transactional_id)
        if entry is None:
            unused = new_value(node.producer_ids.generate(), _TIMEOUT_MS, node.clock.wall_ms())
            entry = states.add(transactional_id, replace(unused, producer_epoch=epoch))
    except ApiError:
        return False
    results: list[ErrorCode] = []
    is_written = trio.Event()

    def on_written(error: ErrorCode) -> None:
        results.append(error)
        is_written.set()

    states.append(entry, entry.value, on_written)
    node.replicas.actions.try_complete_actions()
    with trio.move_on_after(_WRITTEN_WITHIN_S):
        await is_written.wait()
    return results == [ErrorCode.NONE]


def _coordinator(cluster: Cluster, transactional_id: str) -> Node | None:
    image = cluster.controller.image
    member = cluster.members.get(coordinator_of(transactional_id, TRANSACTION_STATE_TOPIC, image))
    return None if member is None else member.node

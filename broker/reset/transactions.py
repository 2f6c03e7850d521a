"""The transactions of a node, and the wait for those that complete before a reset."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import trio

from broker.cluster import Cluster
from broker.node import Node
from broker.transactions.metadata import TransactionMetadata

logger = logging.getLogger(__name__)

# How long, in real time, a reset waits for the end of transactions.
TRANSACTIONS_S_MAX = 5.0


def entries(node: Node) -> Iterator[TransactionMetadata]:
    """The transactional ids that *node* coordinates."""
    states = node.transactions.states
    for partition in states.partitions():
        yield from states.entries(partition)


async def wait_for_markers(cluster: Cluster) -> None:
    """Wait until the partitions of each decided transaction have its marker.

    WriteTxnMarkers names topics without their ids, so a marker in flight would be appended to a
    topic that is created again. Markers that are not written within `TRANSACTIONS_S_MAX` are
    dropped with their coordinator.
    """
    with trio.move_on_after(TRANSACTIONS_S_MAX):
        while any(map(_has_markers_in_flight, cluster.nodes)):
            await cluster.changes.wait()
        return
    logger.warning("the reset drops markers that no leader has written")


def _has_markers_in_flight(node: Node) -> bool:
    return any(
        entry.value.state.is_prepared and not entry.are_markers_stopped for entry in entries(node)
    )

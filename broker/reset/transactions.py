"""The wait for transactions that end before a reset."""

from __future__ import annotations

import logging
from collections.abc import Callable

import trio

from broker.cluster import Cluster
from broker.node import Node

logger = logging.getLogger(__name__)

# How long, in real time, a reset waits for the end of transactions.
TRANSACTIONS_S_MAX = 5.0


async def wait_for_end(cluster: Cluster, has_ended: Callable[[], bool]) -> bool:
    """Wait until transactions have ended; returns whether they have within the limit."""
    with trio.move_on_after(TRANSACTIONS_S_MAX):
        while not has_ended():
            await cluster.changes.wait()
        return True
    return False


async def wait_for_markers(cluster: Cluster) -> None:
    """Wait until the partitions of each decided transaction have its marker.

    WriteTxnMarkers names topics without their ids, so a marker in flight would be appended to a
    topic that is created again. Markers that are not written within `TRANSACTIONS_S_MAX` are
    dropped with their coordinator.
    """
    if not await wait_for_end(cluster, lambda: not any(map(_has_markers, cluster.nodes))):
        logger.warning("the reset drops markers that no leader has written")


def _has_markers(node: Node) -> bool:
    """Whether a transaction that *node* coordinates lacks markers that can be written."""
    return any(
        entry.value.state.is_prepared and not entry.are_markers_stopped
        for entry in node.transactions.states.all_entries()
    )

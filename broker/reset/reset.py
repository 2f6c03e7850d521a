"""Resets a running cluster to its state at the start: a clean slate for the next test.

    nodes run -> clock runs -> decided transactions have their markers
              -> topics, settings in one change -> all nodes have applied it
                                                -> leftovers of each node

Groups, offsets and transactions are in internal topics, which are removed with all others; that of
transactions exists again, empty, if it had been created. Requests that wait end as they do when
Kafka deletes their topic or moves their coordinator: clients repeat them. Connections stay open.
"""

from __future__ import annotations

from collections.abc import Callable

import trio

from broker.cluster import Cluster
from broker.cluster_member import NodeState
from broker.common.errors import StartupError, WrongState
from broker.controller.metadata.image import INTERNAL_TOPICS, TRANSACTION_STATE_TOPIC
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.reset.given import Given
from broker.reset.leftovers import close_fetch_sessions, complete_deletions, forget_clients
from broker.reset.prefix_reset import PrefixReset
from broker.reset.removed import Removed, ended, group_ids, parked, transactional_ids
from broker.reset.topics import TopicRemoval
from broker.reset.transactions import wait_for_markers
from broker.transactions.state_topic import transaction_state_topic


class Reset:
    """Resets *cluster*, whose clock *run_clock* lets run at the speed of real time.

    What was *given* at the start exists afterwards, empty.
    """

    def __init__(self, cluster: Cluster, given: Given, run_clock: Callable[[], object]) -> None:
        self._cluster = cluster
        self._given = given
        self._run_clock = run_clock
        self._topics = TopicRemoval(cluster.controller, given)
        self._by_prefix = PrefixReset(cluster, self._topics)
        self._resetting = trio.Lock()

    async def reset(self, prefix: str | None) -> Removed:
        """Remove everything that clients have made, or what has a name with *prefix*.

        Returns when all nodes have applied it. Raises `WrongState` if that is not possible.
        """
        async with self._resetting:
            waiting = parked(self._cluster.nodes)
            if prefix is None:
                found = await self._reset_all()
            else:
                found = await self._by_prefix.reset(prefix)
            found.parked_requests = ended(waiting)
            return found

    async def _reset_all(self) -> Removed:
        found = Removed()
        await self._run_nodes(found)
        self._run_clock()
        found.fault_rules = self._cluster.faults.clear()
        await wait_for_markers(self._cluster)
        nodes, controller = self._cluster.nodes, self._cluster.controller
        found.groups, found.transactional_ids = len(group_ids(nodes)), len(transactional_ids(nodes))
        # Internal topics are removed first, so that groups need no change for the other topics.
        names = sorted(controller.image.topics, key=lambda name: name not in INTERNAL_TOPICS)

        def restore() -> None:
            found.settings = controller.initial_settings.restore(self._given.credentials)
            if TRANSACTION_STATE_TOPIC in names:
                # Without it, batches of a transaction are refused with NOT_ENOUGH_REPLICAS, after
                # which a producer of Java does not look for its coordinator, here and in Kafka.
                ensure_internal_topic(controller, transaction_state_topic(self._cluster.config))

        removed = await self._topics.remove(names, "", found, restore)
        for node in self._cluster.nodes:
            complete_deletions(node, removed)
            close_fetch_sessions(node)
            node.logs.deletions.run_now(lambda _: True)
            forget_clients(node)
        if self._cluster.recorder is not None:
            self._cluster.recorder.recent.clear()
        return found

    async def _run_nodes(self, found: Removed) -> None:
        """Resume paused nodes and start stopped ones; raises `WrongState`."""
        for node_id, member in self._cluster.members.items():
            if member.state is NodeState.PAUSED:
                self._cluster.resume(node_id)
                found.resumed.append(node_id)
            elif member.state is NodeState.STOPPED:
                try:
                    await self._cluster.start(node_id)
                except StartupError as error:
                    raise WrongState(f"node {node_id} cannot start: {error}") from None
                found.started.append(node_id)

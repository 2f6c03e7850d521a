"""Resets the topics, groups and transactional ids whose names have a prefix.

Tests that run in parallel on one broker give each test a prefix of its own. All other state is
shared by the tests: nodes, the clock, quotas, ACLs, credentials and configs stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from broker.cluster import Cluster
from broker.common.errors import ApiError, WrongState
from broker.controller.metadata.image import INTERNAL_TOPICS
from broker.node import Node
from broker.reset.leftovers import close_fetch_sessions, complete_deletions, delete_files
from broker.reset.removed import Removed, group_ids, transactional_ids
from broker.reset.topics import TopicRemoval
from broker.reset.transactions import TRANSACTIONS_S_MAX, wait_for_end
from broker.steps.queue import finish
from broker.transactions.expiration import remove_ids
from broker.transactions.metadata import TransactionMetadata
from protocol.printable import printable


class PrefixReset:
    """Removes what belongs to a prefix in *cluster*."""

    def __init__(self, cluster: Cluster, topics: TopicRemoval) -> None:
        self._cluster = cluster
        self._topics = topics

    async def reset(self, prefix: str) -> Removed:
        """Remove it; raises `WrongState` if a transaction cannot be aborted in time."""
        found = Removed()
        found.transactional_ids = await self._remove_transactional_ids(prefix)
        found.groups = self._remove_groups(prefix)
        controller = self._cluster.controller
        names = _with_prefix(controller.image.topics.keys() - INTERNAL_TOPICS, prefix)

        def remove_group_configs() -> None:
            found.settings = {"configs": controller.initial_settings.remove_group_configs(prefix)}

        removed = await self._topics.remove(names, prefix, found, remove_group_configs)
        for node in self._cluster.nodes:
            complete_deletions(node, removed)
            close_fetch_sessions(node)
            delete_files(node, removed)
        return found

    def _remove_groups(self, prefix: str) -> int:
        """Remove groups with their members; a group that is being moved stays."""
        count = 0
        for node in self._cluster.nodes:
            for group_id in _with_prefix(group_ids([node]), prefix):
                with suppress(ApiError):
                    node.groups.remove_group(group_id)
                    count += 1
        return count

    async def _remove_transactional_ids(self, prefix: str) -> int:
        """Abort open transactions, and remove their ids when their partitions have the markers."""
        ids = _with_prefix(transactional_ids(self._cluster.nodes), prefix)
        if await wait_for_end(self._cluster, lambda: not self._end_transactions(prefix)):
            return len(ids)
        left = _with_prefix(transactional_ids(self._cluster.nodes), prefix)
        raise WrongState(
            f"transaction {printable(left[0])} is not aborted within {TRANSACTIONS_S_MAX:.0f} s: "
            "a node that must write its marker is stopped or paused"
        )

    def _end_transactions(self, prefix: str) -> bool:
        """Abort and remove what can be; whether any id is left."""
        for node in self._cluster.nodes:
            for entry in _with_id(node, prefix):
                node.transactions.abort_open(entry)
            finish(
                remove_ids(
                    node.transactions.states,
                    lambda name: name.startswith(prefix),
                    node.clock.wall_ms(),
                )
            )
            node.replicas.actions.try_complete_actions()
        return any(_with_id(node, prefix) for node in self._cluster.nodes)


def _with_prefix(names: Iterable[str], prefix: str) -> list[str]:
    return sorted(name for name in names if name.startswith(prefix))


def _with_id(node: Node, prefix: str) -> list[TransactionMetadata]:
    entries = node.transactions.states.all_entries()
    return [entry for entry in entries if entry.transactional_id.startswith(prefix)]

"""Initializes the state of the share partitions of groups at the share coordinator.

A partition is assigned to members when its state is initialized. Kafka's
``GroupMetadataManager.maybeCreateInitializeShareGroupStateRequest`` and what follows it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol
from uuid import UUID

from broker.common.errors import ApiError
from broker.groups.group_parts import GroupParts
from broker.groups.metadata_image import topic_name
from broker.groups.share.draft import ShareDraft
from broker.groups.share.group import ShareGroup
from broker.groups.share.state_partitions import Topics, TopicStates
from broker.share.persister import UNINITIALIZED_START_OFFSET, Persister, PersisterResult
from broker.share.share_partition_key import SharePartitionKey
from protocol.errors import ErrorCode

log = logging.getLogger("antechamber.groups")


class Finish(Protocol):
    """Appends the records of a draft, and uses its group; raises `ApiError`."""

    def __call__(self, draft: ShareDraft) -> None:
        """Finish a draft."""
        ...


class Initialization:
    """The initialization of share partitions of a node's groups."""

    def __init__(
        self, parts: GroupParts, persister: Callable[[], Persister], finish: Finish
    ) -> None:
        self._config = parts.config
        self._wall_ms = parts.clock.wall_ms
        self._runtime = parts.runtime
        self._states = parts.states
        self._topics = parts.topics
        self._actions = parts.actions
        self._persister = persister
        self._finish = finish

    def begin(self, draft: ShareDraft) -> Topics:
        """Write which partitions of the drafted group must be initialized, and return them.

        Partitions in initialization are among them after the retry interval.
        """
        group = draft.group
        retry_ms = self._config.group_share_initialize_retry_interval_ms
        is_retried = group.initializing_ms + retry_ms <= self._wall_ms()
        missing = {}
        for topic in sorted(self._topics.existing(group.subscribed_topics()), key=topic_name):
            topic_id = topic.topic_id
            known = _partitions(group.state_partitions.initialized, topic_id)
            if not is_retried:
                known |= _partitions(group.state_partitions.initializing, topic_id)
            partitions = frozenset(range(len(topic.partitions))) - known
            if partitions:
                missing[topic_id] = TopicStates(topic.name, partitions)
        if missing:
            draft.write_state_partitions(group.state_partitions.beginning(missing))
            draft.group.initializing_ms = self._wall_ms()
        return missing

    def initialize(self, group: ShareGroup, topics: Topics) -> None:
        """Initialize partitions when the record that says so is replicated."""
        call = partial(self._call, group.group_id, group.epoch, topics)
        self._runtime.once_replicated(group.group_id, call)

    def _call(self, group_id: str, epoch: int, topics: Topics) -> None:
        keys = [
            SharePartitionKey(group_id, topic_id, partition)
            for topic_id, states in topics.items()
            for partition in sorted(states.partitions)
        ]

        def done(results: dict[SharePartitionKey, PersisterResult]) -> None:
            self._end(group_id, topics, results)

        each = partial(self._persister().initialize, state_epoch=epoch)
        gather(
            keys,
            lambda key, one: each(key, start_offset=UNINITIALIZED_START_OFFSET, done=one),
            done,
        )

    def _end(
        self, group_id: str, topics: Topics, results: dict[SharePartitionKey, PersisterResult]
    ) -> None:
        """Write which partitions are initialized; a later heartbeat retries the others."""
        group = self._states.groups.get(group_id)
        if not isinstance(group, ShareGroup):
            return
        failed = {key: each for key, each in results.items() if each.error}
        for key, result in failed.items():
            log.warning("%s is not initialized: %s", key, result.error.name)
        successful = _of_keys(topics, results.keys() - failed.keys())
        draft = ShareDraft(group)
        ended = group.state_partitions.ended(topics, successful=successful)
        draft.write_state_partitions(ended)
        try:
            self._finish(draft)
        except ApiError as error:
            log.warning("group %s: initialized partitions are not stored: %s", group_id, error)
        self._actions.try_complete_actions()

    def delete_states(self, group: ShareGroup, done: Callable[[ErrorCode], None]) -> None:
        """Delete the states of all share partitions of a group; *done* gets the first error."""
        keys = [
            SharePartitionKey(group.group_id, topic_id, partition)
            for topic_id, partition in group.state_partitions.partitions()
        ]

        def on_results(results: dict[SharePartitionKey, PersisterResult]) -> None:
            errors = (result.error for result in results.values() if result.error)
            done(next(errors, ErrorCode.NONE))

        gather(keys, self._persister().delete, on_results)

    def topics_deleted(self, topic_ids: Iterable[UUID]) -> None:
        """Remove topics that have been deleted from the groups."""
        deleted = set(topic_ids)
        for group in list(self._states.groups.values()):
            if isinstance(group, ShareGroup) and deleted & group.state_partitions.topic_ids():
                draft = ShareDraft(group)
                draft.write_state_partitions(group.state_partitions.without(deleted))
                try:
                    self._finish(draft)
                except ApiError as error:
                    log.warning("group %s keeps deleted topics: %s", group.group_id, error)


def gather(
    keys: Iterable[SharePartitionKey],
    call: Callable[[SharePartitionKey, Callable[[PersisterResult], None]], None],
    done: Callable[[dict[SharePartitionKey, PersisterResult]], None],
) -> None:
    """Make a call of the persister about each share partition; *done* gets all results."""
    wanted = list(keys)
    results: dict[SharePartitionKey, PersisterResult] = {}

    def one(key: SharePartitionKey, result: PersisterResult) -> None:
        results[key] = result
        if len(results) == len(wanted):
            done(results)

    if not wanted:
        done(results)
    for key in wanted:
        call(key, partial(one, key))


def _partitions(topics: Topics, topic_id: UUID) -> frozenset[int]:
    states = topics.get(topic_id)
    return frozenset() if states is None else states.partitions


def _of_keys(topics: Topics, keys: Iterable[SharePartitionKey]) -> Topics:
    found: dict[UUID, set[int]] = {}
    for key in keys:
        found.setdefault(key.topic_id, set()).add(key.partition)
    return {
        topic_id: TopicStates(topics[topic_id].name, frozenset(partitions))
        for topic_id, partitions in found.items()
    }

"""The share requests of one node: fetches, acknowledgements and the ends of sessions.

Kafka's ``SharePartitionManager``. A fetch whose partitions have not enough records waits in the
purgatory ShareFetch, with each share partition and each partition as its keys.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from broker.common.do_nothing import do_nothing
from broker.common.error_messages import message_of
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.partition_purgatories import Purgatory
from broker.share.acknowledgement import Acknowledgement
from broker.share.sessions import ShareSession, ShareSessionCache
from broker.share.settings import ShareGroupSettings
from broker.share.share_fetch import ShareFetch, ShareFetchParams, ShareFetchResults
from broker.share.share_partition import SharePartition
from broker.share.share_partition_key import SharePartitionKey
from broker.share.share_partitions import SharePartitions
from broker.steps.queue import Slices
from broker.wait_records.causes import CauseKind
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from purgatories.action_queue import ActionQueue
from purgatories.operations.delayed_share_fetch import DelayedShareFetch

# The error and the message of each partition.
AcknowledgeResults = dict[SharePartitionKey, tuple[ErrorCode, str | None]]


@dataclass(slots=True)
class WaitingFetch:
    """A fetch that waits, and what it fetches."""

    operation: DelayedShareFetch[SharePartition]
    fetch: ShareFetch


class SharePartitionManager:
    """Serves the members of all share groups from the partitions that this node leads.

    ``settings`` returns those of a group, ``sessions`` are those of the members, and ``timer`` is
    that of fetches.
    """

    def __init__(
        self,
        hosted: HostedPartitions,
        partitions: SharePartitions,
        settings: Callable[[str], ShareGroupSettings],
        purgatory: Purgatory,
        actions: ActionQueue,
        sessions_max: Callable[[], int],
    ) -> None:
        self.partitions = partitions
        self.settings = settings
        self.timer = purgatory.timer
        self.sessions = ShareSessionCache(sessions_max, self._session_ended, partitions.end_group)
        self._hosted = hosted
        self._purgatory = purgatory
        self._actions = actions

    def fetch(
        self,
        params: ShareFetchParams,
        wanted: Mapping[SharePartitionKey, TopicPartition],
        on_response: Callable[[ShareFetchResults], None],
    ) -> Slices[WaitingFetch | None]:
        """Acquire records; respond in the last slice if there are enough, else later.

        Returns the operation if it waits.
        """
        if not wanted or params.max_records == 0 or params.max_bytes == 0:
            on_response({})
            return None
        fetch = ShareFetch(self._hosted, params, self.partitions.check_after_fetch)
        for key, name in wanted.items():
            self._add(fetch, key, name)
            yield None
        if not fetch.partitions:
            on_response(fetch.acquire(()))
            return None
        min_bytes = min(params.min_bytes, params.max_bytes)
        operation = DelayedShareFetch(
            params.max_wait_ms,
            min_bytes,
            fetch.partitions,
            fetch,
            lambda locked: on_response(fetch.acquire(locked)),
            self._actions,
        )
        operation.shared_condition = fetch.condition(min_bytes)
        keys: list[Hashable] = []
        for share_partition in fetch.partitions:
            keys += (share_partition.key, share_partition.name)
        done = self._purgatory.try_complete_else_watch(operation, keys)
        return None if done else WaitingFetch(operation, fetch)

    def _add(self, fetch: ShareFetch, key: SharePartitionKey, name: TopicPartition) -> None:
        try:
            share_partition = self.partitions.get_or_create(key, name)
        except ApiError as error:
            fetch.errors[key] = error.code
            return
        fetch.partitions.append(share_partition)
        self.partitions.initialize(share_partition, partial(fetch.errors.__setitem__, key))

    def acknowledge(
        self,
        member_id: str,
        wanted: Mapping[SharePartitionKey, Sequence[Acknowledgement]],
        on_done: Callable[[AcknowledgeResults], None],
    ) -> Slices[None]:
        """Apply acknowledgements, those of each partition in one slice.

        *on_done* is called when all of them have been written: in the last slice, or later. Fetches
        that wait are checked at once, as in Kafka, so before the write: then they see releases of
        earlier requests, and not those of this one.
        """
        results: AcknowledgeResults = {}

        def done(key: SharePartitionKey, error: ErrorCode, message: str | None) -> None:
            results[key] = (error, message)
            if len(results) == len(wanted):
                on_done(results)

        if not wanted:
            on_done(results)
        for key, acknowledgements in wanted.items():
            yield None
            self._acknowledge(key, member_id, acknowledgements, partial(done, key))

    def _acknowledge(
        self,
        key: SharePartitionKey,
        member_id: str,
        acknowledgements: Sequence[Acknowledgement],
        done: Callable[[ErrorCode, str | None], None],
    ) -> None:
        share_partition = self.partitions.by_key.get(key)
        if share_partition is None:
            done(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, _NOT_HOSTED)
            return
        try:
            share_partition.acknowledge(member_id, acknowledgements, done)
        except ApiError as error:
            done(error.code, error.message)
        self.partitions.check_waiting(share_partition, CauseKind.ACKNOWLEDGEMENT)

    def connection_closed(self, session: ShareSession) -> None:
        """End *session*: the connection that has opened it has closed."""
        self.sessions.closed(session)
        self._actions.try_complete_actions()

    def _session_ended(self, session: ShareSession) -> None:
        """Release what the member has acquired in the partitions of its session."""
        for key in session.partitions:
            share_partition = self.partitions.by_key.get(key)
            if share_partition is not None:
                with suppress(ApiError):  # it is not in use, so nothing is acquired
                    share_partition.release_acquired(session.key.member_id, do_nothing)
                self.partitions.check_waiting(share_partition, CauseKind.SHARE_SESSION)


_NOT_HOSTED: Final = message_of(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

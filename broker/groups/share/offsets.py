"""The start offsets of the share partitions of a group: describe, alter, delete (KIP-932).

The share coordinator has them, so results are passed to callbacks when it has responded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

from broker.common.errors import ApiError
from broker.common.java_hash import in_hash_order, uuid_hash
from broker.common.topic_partition import TopicPartition
from broker.common.uuid_text import uuid_text
from broker.groups.group_parts import GroupParts
from broker.groups.share.draft import ShareDraft
from broker.groups.share.end_offsets import EndOffset, OnEndOffset
from broker.groups.share.group import ShareGroup
from broker.groups.share.initialization import Finish, gather
from broker.groups.share.state_partitions import TopicStates
from broker.share.persister import (
    UNINITIALIZED_START_OFFSET,
    Persister,
    PersisterResult,
    SummaryResult,
)
from broker.share.share_partition_key import SharePartitionKey
from protocol.errors import ErrorCode

FindEndOffset = Callable[[TopicPartition, OnEndOffset], None]

UNKNOWN_LAG = -1
_NOT_DESCRIBED = 0  # the start offset beside an error


class ShareOffset(NamedTuple):
    """The start offset of a share partition, and the records after it that are not complete.

    Or the error of the leader that knows where the partition ends. ``leader_epoch`` is that of the
    leader that has read the state last.
    """

    start_offset: int = UNINITIALIZED_START_OFFSET
    lag: int = UNKNOWN_LAG
    error: ErrorCode = ErrorCode.NONE
    message: str | None = None
    leader_epoch: int = 0


class ShareGroupOffsets:
    """The offsets of the share groups of a node; *find_end* finds the end of a partition."""

    def __init__(
        self,
        parts: GroupParts,
        persister: Callable[[], Persister],
        find_end: FindEndOffset,
        finish: Finish,
    ) -> None:
        self.topics = parts.topics
        self._runtime = parts.runtime
        self._states = parts.states
        self._actions = parts.actions
        self._persister = persister
        self._find_end = find_end
        self._finish = finish

    # ------------------------------------------------------------------------------ describe

    def initialized(self, group_id: str) -> dict[str, list[int]]:
        """The partitions of a group that have a state, by topic; none if there is no such group."""
        group = self._states.groups.get(group_id)
        if not isinstance(group, ShareGroup):
            return {}
        return {
            states.name: sorted(states.partitions)
            for states in group.state_partitions.initialized.values()
        }

    def describe(
        self, group_id: str, name: str, partition: int, done: Callable[[ShareOffset], None]
    ) -> None:
        """Find the start offset and the lag of a share partition.

        They are -1 if it has none, and if the share coordinator refuses, as in Kafka. The end of
        the partition is needed unless the share coordinator does not know the lag.
        """
        topic_id = self.topics.id_of(name)
        if topic_id is None:
            done(ShareOffset())
            return
        key = SharePartitionKey(group_id, topic_id, partition)
        end = partial(self._with_lag, TopicPartition(name, partition), done)
        self._persister().read_summary(key, 0, end)

    def _with_lag(
        self,
        partition: TopicPartition,
        done: Callable[[ShareOffset], None],
        summary: SummaryResult,
    ) -> None:
        start, complete = summary.start_offset, summary.delivery_complete_count
        epoch = 0 if summary.error else summary.leader_epoch
        if summary.error or start == UNINITIALIZED_START_OFFSET:
            done(ShareOffset(leader_epoch=epoch))
        elif complete < 0:
            done(ShareOffset(start, leader_epoch=epoch))
        else:

            def on_end(end: EndOffset) -> None:
                if end.error:
                    done(ShareOffset(_NOT_DESCRIBED, UNKNOWN_LAG, end.error, end.message))
                else:
                    lag = end.offset - start - complete
                    done(ShareOffset(start, lag, leader_epoch=epoch))

            self._find_end(partition, on_end)

    # --------------------------------------------------------------------------------- alter

    def alter(
        self,
        group_id: str,
        offsets: Mapping[str, Mapping[int, int]],
        done: Callable[[dict[tuple[str, int], PersisterResult]], None],
    ) -> None:
        """Set start offsets; raises `ApiError` unless the group is empty.

        *offsets* has existing topics; a group that does not exist is created if there is one.
        Their partitions exist or are negative. A negative one fails the request, also by an
        `ApiError`, after the group has been created (Kafka's ``DefaultStatePersister``).
        """
        group = self._empty_group(group_id, may_be_new=True)
        if not offsets:
            done({})
            return
        keys: dict[SharePartitionKey, tuple[str, int]] = {}
        topics: dict[UUID, TopicStates] = {}
        for name, starts in offsets.items():
            topic_id = self.topics.id_of(name)
            assert topic_id is not None, "the caller has checked the topics"
            for partition in starts:
                keys[SharePartitionKey(group_id, topic_id, partition)] = name, partition
            if starts:
                topics[topic_id] = TopicStates(name, frozenset(starts))
        refusal = _refusal(keys)
        draft = ShareDraft(group)
        beginning = {} if refusal else topics
        draft.write_state_partitions(group.state_partitions.beginning(beginning))
        self._finish(draft)
        if refusal:
            raise refusal

        def call(key: SharePartitionKey, one: Callable[[PersisterResult], None]) -> None:
            name, partition = keys[key]
            self._persister().initialize(key, group.epoch, offsets[name][partition], one)

        def on_results(results: dict[SharePartitionKey, PersisterResult]) -> None:
            self._initialized(group_id, topics, results)
            done({keys[key]: result for key, result in results.items()})

        begin = partial(gather, list(keys), call, on_results)
        self._runtime.once_replicated(group_id, begin)

    def _initialized(
        self,
        group_id: str,
        topics: Mapping[UUID, TopicStates],
        results: Mapping[SharePartitionKey, PersisterResult],
    ) -> None:
        group = self._states.groups.get(group_id)
        if not isinstance(group, ShareGroup):
            return
        successful: dict[UUID, TopicStates] = {}
        for key, result in results.items():
            if not result.error:
                known = successful.get(key.topic_id, TopicStates("", frozenset()))
                partitions = known.partitions | {key.partition}
                successful[key.topic_id] = TopicStates(topics[key.topic_id].name, partitions)
        draft = ShareDraft(group)
        ended = group.state_partitions.ended(topics, successful=successful)
        draft.write_state_partitions(ended)
        self._try_finish(draft)

    # -------------------------------------------------------------------------------- delete

    def delete(
        self,
        group_id: str,
        names: Sequence[str],
        done: Callable[[dict[str, tuple[UUID, ErrorCode]]], None],
    ) -> None:
        """Delete the states of topics that exist; raises `ApiError` unless the group is empty.

        *done* gets those topics that have a state.
        """
        group = self._empty_group(group_id, may_be_new=False)
        initialized = group.state_partitions.initialized
        found = {
            topic_id: name
            for name in names
            if (topic_id := self.topics.id_of(name)) is not None and topic_id in initialized
        }
        if not found:
            done({})
            return
        keys = [
            SharePartitionKey(group_id, topic_id, partition)
            for topic_id in found
            for partition in sorted(initialized[topic_id].partitions)
        ]
        draft = ShareDraft(group)
        draft.write_state_partitions(group.state_partitions.deletion(found))
        self._finish(draft)

        def on_results(results: dict[SharePartitionKey, PersisterResult]) -> None:
            errors = dict.fromkeys(found, ErrorCode.NONE)
            for key, result in results.items():
                errors[key.topic_id] = errors[key.topic_id] or result.error
            self._deleted(group_id, [each for each, error in errors.items() if not error])
            done({found[each]: (each, error) for each, error in errors.items()})

        begin = partial(gather, keys, self._persister().delete, on_results)
        self._runtime.once_replicated(group_id, begin)

    def _deleted(self, group_id: str, topic_ids: Sequence[UUID]) -> None:
        group = self._states.groups.get(group_id)
        if isinstance(group, ShareGroup):
            draft = ShareDraft(group)
            draft.write_state_partitions(group.state_partitions.without(topic_ids))
            self._try_finish(draft)

    # -------------------------------------------------------------------------------- groups

    def _empty_group(self, group_id: str, *, may_be_new: bool) -> ShareGroup:
        if not group_id:
            raise ApiError(ErrorCode.INVALID_GROUP_ID, "The group id is invalid.")
        self._runtime.check(group_id)
        group = self._states.groups.get(group_id)
        if group is None and may_be_new:
            return ShareGroup(group_id)
        if group is None:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        if not isinstance(group, ShareGroup):
            words = f"Group {group_id} is not a share group."
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, words)
        if not group.is_empty:
            raise ApiError(ErrorCode.NON_EMPTY_GROUP, "The group is not empty.")
        return group

    def _try_finish(self, draft: ShareDraft) -> None:
        """Append the records of a draft, unless the log refuses; a later request repeats them."""
        try:
            self._finish(draft)
        except ApiError:
            return
        self._actions.try_complete_actions()


def _refusal(keys: Collection[SharePartitionKey]) -> ApiError | None:
    """The refusal of the first negative partition, in the order of Kafka's hash tables."""
    negative = [key for key in keys if key.partition < 0]
    if not negative:
        return None
    in_topic = in_hash_order(negative, lambda key: key.partition)
    [first, *_] = in_hash_order(in_topic, lambda key: uuid_hash(key.topic_id))
    return ApiError(
        ErrorCode.UNKNOWN_SERVER_ERROR,
        "Initialize share group parameters has invalid partitionId - "
        f"{first.group_id} {uuid_text(first.topic_id)} {first.partition}",
    )

"""The calls of the network persister as requests, and their results from responses.

A request has the calls of one kind about share partitions of one group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from broker.share.persister import PersisterResult, ReadResult, StateWrite, SummaryResult
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.share_partition_state import from_records, to_records
from protocol.errors import ErrorCode
from protocol.messages import delete_share_group_state as delete
from protocol.messages import initialize_share_group_state as initialize
from protocol.messages import read_share_group_state as read
from protocol.messages import read_share_group_state_summary as summary
from protocol.messages import write_share_group_state as write

Topic = TypeVar("Topic")


class CallKind(NamedTuple):
    """A kind of calls: the request for some of them, the result of a partition, and of an error."""

    request: Callable[[str, Sequence[Call]], Any]
    result: Callable[[Any], PersisterResult]
    refused: Callable[..., PersisterResult]


@dataclass(slots=True, eq=False)
class Call:
    """A call about a share partition, with its arguments, and how often it was sent again."""

    kind: CallKind
    key: SharePartitionKey
    arguments: Any
    done: Callable[[Any], None]
    retries: int = 0

    def fail(self, error: ErrorCode) -> None:
        """Call back with an error."""
        self.done(self.kind.refused(error=error))


def results(kind: CallKind, response: Any) -> dict[tuple[UUID, int], PersisterResult]:
    """The results in a response, by topic id and partition."""
    return {
        (topic.topic_id, each.partition): kind.result(each)
        for topic in response.results
        for each in topic.partitions
    }


def _by_topic(calls: Iterable[Call]) -> Iterator[tuple[UUID, list[Call]]]:
    topics: dict[UUID, list[Call]] = {}
    for call in calls:
        topics.setdefault(call.key.topic_id, []).append(call)
    return iter(topics.items())


def _error(each: Any) -> dict[str, Any]:
    return {"error": ErrorCode(each.error_code), "message": each.error_message}


def _plain(each: Any) -> PersisterResult:
    return PersisterResult(**_error(each))


# ------------------------------------------------------------------------------------ initialize


def _initialize(
    group_id: str, calls: Sequence[Call]
) -> initialize.InitializeShareGroupStateRequest:
    return initialize.InitializeShareGroupStateRequest(
        group_id=group_id,
        topics=[
            initialize.InitializeStateData(
                topic_id=topic_id,
                partitions=[
                    initialize.PartitionData(
                        partition=each.key.partition,
                        state_epoch=each.arguments[0],
                        start_offset=each.arguments[1],
                    )
                    for each in of_topic
                ],
            )
            for topic_id, of_topic in _by_topic(calls)
        ],
    )


# ------------------------------------------------------------------------------------------ read


def _read(group_id: str, calls: Sequence[Call]) -> read.ReadShareGroupStateRequest:
    return read.ReadShareGroupStateRequest(
        group_id=group_id,
        topics=[
            read.ReadStateData(
                topic_id=topic_id,
                partitions=[
                    read.PartitionData(partition=each.key.partition, leader_epoch=each.arguments)
                    for each in of_topic
                ],
            )
            for topic_id, of_topic in _by_topic(calls)
        ],
    )


def _read_result(each: read.PartitionResult) -> ReadResult:
    return ReadResult(
        **_error(each),
        state_epoch=each.state_epoch,
        start_offset=each.start_offset,
        batches=list(from_records(each.state_batches)),
    )


# ----------------------------------------------------------------------------------------- write


def _write(group_id: str, calls: Sequence[Call]) -> write.WriteShareGroupStateRequest:
    return write.WriteShareGroupStateRequest(
        group_id=group_id,
        topics=[
            write.WriteStateData(
                topic_id=topic_id,
                partitions=[_written(each.key, each.arguments) for each in of_topic],
            )
            for topic_id, of_topic in _by_topic(calls)
        ],
    )


def _written(key: SharePartitionKey, change: StateWrite) -> write.PartitionData:
    return write.PartitionData(
        partition=key.partition,
        state_epoch=change.state_epoch,
        leader_epoch=change.leader_epoch,
        start_offset=change.start_offset,
        delivery_complete_count=change.delivery_complete_count,
        state_batches=to_records(change.batches),
    )


# ---------------------------------------------------------------------------------------- delete


def _delete(group_id: str, calls: Sequence[Call]) -> delete.DeleteShareGroupStateRequest:
    return delete.DeleteShareGroupStateRequest(
        group_id=group_id,
        topics=[
            delete.DeleteStateData(
                topic_id=topic_id,
                partitions=[
                    delete.PartitionData(partition=each.key.partition) for each in of_topic
                ],
            )
            for topic_id, of_topic in _by_topic(calls)
        ],
    )


# --------------------------------------------------------------------------------------- summary


def _summary(group_id: str, calls: Sequence[Call]) -> summary.ReadShareGroupStateSummaryRequest:
    return summary.ReadShareGroupStateSummaryRequest(
        group_id=group_id,
        topics=[
            summary.ReadStateSummaryData(
                topic_id=topic_id,
                partitions=[
                    summary.PartitionData(partition=each.key.partition, leader_epoch=each.arguments)
                    for each in of_topic
                ],
            )
            for topic_id, of_topic in _by_topic(calls)
        ],
    )


def _summary_result(each: summary.PartitionResult) -> SummaryResult:
    return SummaryResult(
        **_error(each),
        state_epoch=each.state_epoch,
        leader_epoch=each.leader_epoch,
        start_offset=each.start_offset,
        delivery_complete_count=each.delivery_complete_count,
    )


INITIALIZE = CallKind(_initialize, _plain, PersisterResult)
READ = CallKind(_read, _read_result, ReadResult)
WRITE = CallKind(_write, _plain, PersisterResult)
DELETE = CallKind(_delete, _plain, PersisterResult)
READ_SUMMARY = CallKind(_summary, _summary_result, SummaryResult)

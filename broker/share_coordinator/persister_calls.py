"""The calls of the network persister as requests, and their results from responses.

A request has the calls of one kind about share partitions of one group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from broker.share.persister import SUCCEEDED, PersisterResult, ReadResult, StateWrite, SummaryResult
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.share_partition_state import from_records, to_records
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.messages import delete_share_group_state as delete
from protocol.messages import initialize_share_group_state as initialize
from protocol.messages import read_share_group_state as read
from protocol.messages import read_share_group_state_summary as summary
from protocol.messages import write_share_group_state as write

# One request is encoded, and its response decoded, in one step of the loop. A write that was joined
# from several counts as all of them.
CALLS_PER_REQUEST_MAX: Final = 100


class CallKind(NamedTuple):
    """A kind of calls: the request for some of them, the result of a partition, and of an error."""

    request: Callable[[str, Sequence[Call]], Any]
    result: Callable[[Any], PersisterResult]
    refused: Callable[..., PersisterResult]


@dataclass(slots=True, eq=False)
class Call:
    """A call about a share partition, with its arguments, and how often it was sent again.

    Each of ``callbacks`` gets the result: a call may be several writes that were joined.
    """

    kind: CallKind
    key: SharePartitionKey
    arguments: Any
    callbacks: Sequence[Callable[[Any], None]]
    retries: int = 0


def results(kind: CallKind, response: Any) -> dict[tuple[int, int], PersisterResult]:
    """The results in a response, by the number of the topic id and partition."""
    return {
        (topic.topic_id.int, each.partition): kind.result(each)
        for topic in response.results
        for each in topic.partitions
    }


def _request(
    message: Callable[..., Any], topic: Callable[..., Any], partition: Callable[[int, Any], Any]
) -> Callable[[str, Sequence[Call]], Any]:
    """Makes a request of *topic*s; *partition* gets a partition and the arguments of its call."""

    def request(group_id: str, calls: Sequence[Call]) -> Any:
        topics: dict[UUID, list[Any]] = {}
        for call in calls:
            part = partition(call.key.partition, call.arguments)
            topics.setdefault(call.key.topic_id, []).append(part)
        of_topics = [
            topic(topic_id=topic_id, partitions=parts) for topic_id, parts in topics.items()
        ]
        return message(group_id=group_id, topics=of_topics)

    return request


def _error(each: Any) -> dict[str, Any]:
    return {"error": ErrorCode(each.error_code), "message": each.error_message}


def _plain(each: Any) -> PersisterResult:
    return PersisterResult(**_error(each)) if each.error_code else SUCCEEDED


def _initialized(partition: int, arguments: tuple[int, int]) -> initialize.PartitionData:
    state_epoch, start_offset = arguments
    return initialize.PartitionData(
        partition=partition, state_epoch=state_epoch, start_offset=start_offset
    )


def _read(partition: int, leader_epoch: int) -> read.PartitionData:
    return read.PartitionData(partition=partition, leader_epoch=leader_epoch)


def _read_result(each: read.PartitionResult) -> ReadResult:
    return ReadResult(
        **_error(each),
        state_epoch=each.state_epoch,
        start_offset=each.start_offset,
        batches=list(from_records(each.state_batches)),
    )


def _write_result(each: write.PartitionResult) -> PersisterResult:
    """The result; members get its message, which begins as Kafka's."""
    result = _plain(each)
    if not result.error:
        return result
    message = f"Error in write state RPC. {result.message}"
    return PersisterResult(error=result.error, message=message)


def _written(partition: int, change: StateWrite) -> write.PartitionData:
    return write.PartitionData(
        partition=partition,
        state_epoch=change.state_epoch,
        leader_epoch=change.leader_epoch,
        start_offset=change.start_offset,
        delivery_complete_count=change.delivery_complete_count,
        state_batches=to_records(change.batches),
    )


def _deleted(partition: int, _: None) -> delete.PartitionData:
    return delete.PartitionData(partition=partition)


def _summarized(partition: int, leader_epoch: int) -> summary.PartitionData:
    return summary.PartitionData(partition=partition, leader_epoch=leader_epoch)


def _summary_result(each: summary.PartitionResult) -> SummaryResult:
    return SummaryResult(
        **_error(each),
        state_epoch=each.state_epoch,
        leader_epoch=each.leader_epoch,
        start_offset=each.start_offset,
        delivery_complete_count=each.delivery_complete_count,
    )


INITIALIZE: Final = CallKind(
    _request(
        initialize.InitializeShareGroupStateRequest, initialize.InitializeStateData, _initialized
    ),
    _plain,
    PersisterResult,
)
READ: Final = CallKind(
    _request(read.ReadShareGroupStateRequest, read.ReadStateData, _read), _read_result, ReadResult
)
WRITE: Final = CallKind(
    _request(write.WriteShareGroupStateRequest, write.WriteStateData, _written),
    _write_result,
    PersisterResult,
)
DELETE: Final = CallKind(
    _request(delete.DeleteShareGroupStateRequest, delete.DeleteStateData, _deleted),
    _plain,
    PersisterResult,
)
READ_SUMMARY: Final = CallKind(
    _request(summary.ReadShareGroupStateSummaryRequest, summary.ReadStateSummaryData, _summarized),
    _summary_result,
    SummaryResult,
)

"""Error responses of requests about records: each partition has the code.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from broker.api.error_responses.failure import ErrorResponses, Failure
from protocol.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderTopicResult,
)
from protocol.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)

_FETCH_TOPIC_IDS_SINCE = 13


def _produce(body: ProduceRequest, failure: Failure) -> ProduceResponse | None:
    """None for acks=0: the client detects the error by the end of its connection.

    A topic or partition that is named twice has one result; a topic without partitions has none.
    """
    if body.acks == 0:
        return None
    topics: dict[tuple[str, UUID], dict[int, None]] = {}
    for topic in body.topic_data:
        for partition in topic.partition_data:
            topics.setdefault((topic.name, topic.topic_id), {})[partition.index] = None
    return ProduceResponse(
        responses=[
            TopicProduceResponse(
                name=name,
                topic_id=topic_id,
                partition_responses=[
                    PartitionProduceResponse(
                        index=index,
                        error_code=failure.code,
                        base_offset=-1,
                        error_message=failure.message,
                    )
                    for index in indexes
                ],
            )
            for (name, topic_id), indexes in topics.items()
        ]
    )


def _fetch(body: FetchRequest, failure: Failure) -> FetchResponse:
    """Without partitions from v13 on, in which the whole response has the error."""
    topics = [] if failure.version >= _FETCH_TOPIC_IDS_SINCE else body.topics
    return FetchResponse(
        error_code=failure.code,
        session_id=body.session_id,
        responses=[
            FetchableTopicResponse(
                topic=topic.topic,
                partitions=[
                    PartitionData(
                        partition_index=partition.partition,
                        error_code=failure.code,
                        high_watermark=-1,
                        aborted_transactions=[],
                        records=b"",
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in topics
        ],
    )


def _list_offsets(body: ListOffsetsRequest, failure: Failure) -> ListOffsetsResponse:
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[
                    ListOffsetsPartitionResponse(
                        partition_index=partition.partition_index, error_code=failure.code
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in body.topics
        ]
    )


def _delete_records(body: DeleteRecordsRequest, failure: Failure) -> DeleteRecordsResponse:
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                name=topic.name,
                partitions=[
                    DeleteRecordsPartitionResult(
                        partition_index=partition.partition_index,
                        low_watermark=-1,
                        error_code=failure.code,
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in body.topics
        ]
    )


def _offset_for_leader_epoch(
    body: OffsetForLeaderEpochRequest, failure: Failure
) -> OffsetForLeaderEpochResponse:
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic=topic.topic,
                partitions=[
                    EpochEndOffset(error_code=failure.code, partition=partition.partition)
                    for partition in topic.partitions
                ],
            )
            for topic in body.topics
        ]
    )


ERROR_RESPONSES: Final[ErrorResponses] = {
    ProduceRequest: _produce,
    FetchRequest: _fetch,
    ListOffsetsRequest: _list_offsets,
    DeleteRecordsRequest: _delete_records,
    OffsetForLeaderEpochRequest: _offset_for_leader_epoch,
}

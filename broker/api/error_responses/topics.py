"""Error responses of requests about records and partitions: each partition has the code.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from broker.api.error_responses.failure import Failure
from protocol.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from protocol.messages.describe_producers import DescribeProducersRequest, DescribeProducersResponse
from protocol.messages.describe_producers import PartitionResponse as ProducersOfPartition
from protocol.messages.describe_producers import TopicResponse as ProducersOfTopic
from protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseTopic,
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
from protocol.messages.metadata import MetadataRequest, MetadataResponse, MetadataResponseTopic
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
from protocol.schema import ZERO_UUID

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


def _metadata(body: MetadataRequest, failure: Failure) -> MetadataResponse:
    """Without topics if the request is for all; before v13 that response has no code."""
    return MetadataResponse(
        brokers=[],
        topics=[
            MetadataResponseTopic(
                error_code=failure.code,
                name=topic.name or "",
                topic_id=topic.topic_id,
                partitions=[],
            )
            for topic in body.topics or ()
        ],
        error_code=failure.code,
    )


def _describe_topic_partitions(
    body: DescribeTopicPartitionsRequest, failure: Failure
) -> DescribeTopicPartitionsResponse:
    return DescribeTopicPartitionsResponse(
        topics=[
            DescribeTopicPartitionsResponseTopic(
                error_code=failure.code, name=topic.name, topic_id=ZERO_UUID, partitions=[]
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


def _describe_producers(
    body: DescribeProducersRequest, failure: Failure
) -> DescribeProducersResponse:
    return DescribeProducersResponse(
        topics=[
            ProducersOfTopic(
                name=topic.name,
                partitions=[
                    ProducersOfPartition(
                        partition_index=index, error_code=failure.code, active_producers=[]
                    )
                    for index in topic.partition_indexes
                ],
            )
            for topic in body.topics
        ]
    )


TOPICS: dict[Any, Callable[[Any, Failure], object | None]] = {
    ProduceRequest: _produce,
    FetchRequest: _fetch,
    ListOffsetsRequest: _list_offsets,
    MetadataRequest: _metadata,
    DescribeTopicPartitionsRequest: _describe_topic_partitions,
    DeleteRecordsRequest: _delete_records,
    OffsetForLeaderEpochRequest: _offset_for_leader_epoch,
    DescribeProducersRequest: _describe_producers,
}

"""Error responses of requests about transactions and producers.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from typing import Final

from broker.api.error_responses.failure import ErrorResponses, Failure
from broker.common.topic_partition import TopicPartition, by_topic
from protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopicResult,
)
from protocol.messages.describe_producers import DescribeProducersRequest, DescribeProducersResponse
from protocol.messages.describe_producers import PartitionResponse as ProducersOfPartition
from protocol.messages.describe_producers import TopicResponse as ProducersOfTopic
from protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TransactionState,
)
from protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from protocol.messages.list_transactions import ListTransactionsRequest, ListTransactionsResponse
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)

# In older versions each partition has the code, and the whole response has none.
_WHOLE_ERROR_SINCE = 4


def _init_producer_id(_body: InitProducerIdRequest, failure: Failure) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=failure.code, producer_epoch=-1)


def _add_partitions_to_txn(
    body: AddPartitionsToTxnRequest, failure: Failure
) -> AddPartitionsToTxnResponse:
    if failure.version >= _WHOLE_ERROR_SINCE:
        return AddPartitionsToTxnResponse(error_code=failure.code)
    return AddPartitionsToTxnResponse(
        results_by_topic_v3_and_below=[
            AddPartitionsToTxnTopicResult(
                name=topic.name,
                results_by_partition=[
                    AddPartitionsToTxnPartitionResult(
                        partition_index=index, partition_error_code=failure.code
                    )
                    for index in topic.partitions
                ],
            )
            for topic in body.v3_and_below_topics
        ]
    )


def _add_offsets_to_txn(_body: AddOffsetsToTxnRequest, failure: Failure) -> AddOffsetsToTxnResponse:
    return AddOffsetsToTxnResponse(error_code=failure.code)


def _end_txn(_body: EndTxnRequest, failure: Failure) -> EndTxnResponse:
    return EndTxnResponse(error_code=failure.code)


def _describe_transactions(
    body: DescribeTransactionsRequest, failure: Failure
) -> DescribeTransactionsResponse:
    return DescribeTransactionsResponse(
        transaction_states=[
            TransactionState(transactional_id=each, error_code=failure.code)
            for each in body.transactional_ids
        ]
    )


def _list_transactions(
    _body: ListTransactionsRequest, failure: Failure
) -> ListTransactionsResponse:
    return ListTransactionsResponse(error_code=failure.code)


def _write_txn_markers(body: WriteTxnMarkersRequest, failure: Failure) -> WriteTxnMarkersResponse:
    """Each partition has the code, once; of several markers of one producer, only the last one's.

    A topic without partitions is left out.
    """
    markers = {marker.producer_id: _partitions(marker) for marker in body.markers}
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(
                producer_id=producer_id,
                topics=[
                    WritableTxnMarkerTopicResult(
                        name=name,
                        partitions=[
                            WritableTxnMarkerPartitionResult(
                                partition_index=index, error_code=failure.code
                            )
                            for index in indexes
                        ],
                    )
                    for name, indexes in topics.items()
                ],
            )
            for producer_id, topics in markers.items()
        ]
    )


def _partitions(marker: WritableTxnMarker) -> dict[str, list[int]]:
    """The partitions of a marker by topic, each once, in the order of the request."""
    keys = (
        TopicPartition(topic.name, index)
        for topic in marker.topics
        for index in topic.partition_indexes
    )
    return by_topic(dict.fromkeys(keys))


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


ERROR_RESPONSES: Final[ErrorResponses] = {
    InitProducerIdRequest: _init_producer_id,
    AddPartitionsToTxnRequest: _add_partitions_to_txn,
    AddOffsetsToTxnRequest: _add_offsets_to_txn,
    EndTxnRequest: _end_txn,
    DescribeTransactionsRequest: _describe_transactions,
    ListTransactionsRequest: _list_transactions,
    WriteTxnMarkersRequest: _write_txn_markers,
    DescribeProducersRequest: _describe_producers,
}

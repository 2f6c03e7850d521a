"""Error responses of requests about transactions.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.api.error_responses.failure import Failure
from protocol.messages.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)


def _write_txn_markers(body: WriteTxnMarkersRequest, failure: Failure) -> WriteTxnMarkersResponse:
    """Each partition has the code; of several markers of one producer, only the last one's."""
    topics = {
        marker.producer_id: [
            WritableTxnMarkerTopicResult(
                name=topic.name,
                partitions=[
                    WritableTxnMarkerPartitionResult(partition_index=index, error_code=failure.code)
                    for index in topic.partition_indexes
                ],
            )
            for topic in marker.topics
        ]
        for marker in body.markers
    }
    return WriteTxnMarkersResponse(
        markers=[
            WritableTxnMarkerResult(producer_id=producer_id, topics=results)
            for producer_id, results in topics.items()
        ]
    )


TRANSACTIONS: dict[Any, Callable[[Any, Failure], object | None]] = {
    WriteTxnMarkersRequest: _write_txn_markers,
}

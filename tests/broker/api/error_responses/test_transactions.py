"""Error responses of requests about transactions."""

from __future__ import annotations

from typing import Any

from broker.api.error_responses.table import error_response
from protocol.errors import ErrorCode
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)


def test_all_partitions_of_all_markers_have_the_code() -> None:
    """By producer id."""
    markers = [
        WritableTxnMarker(
            producer_id=producer_id,
            producer_epoch=0,
            transaction_result=True,
            topics=[WritableTxnMarkerTopic(name="t", partition_indexes=[0, 1])],
            coordinator_epoch=0,
        )
        for producer_id in (7, 8)
    ]

    response: Any = error_response(
        WriteTxnMarkersRequest(markers=markers), 2, ErrorCode.INVALID_REQUEST
    )

    assert [
        (marker.producer_id, topic.name, each.partition_index, each.error_code)
        for marker in response.markers
        for topic in marker.topics
        for each in topic.partitions
    ] == [(7, "t", 0, 42), (7, "t", 1, 42), (8, "t", 0, 42), (8, "t", 1, 42)]

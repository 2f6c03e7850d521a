"""Error responses of requests about transactions."""

from __future__ import annotations

from typing import Any

import pytest

from broker.api.error_responses.table import error_response
from protocol.errors import ErrorCode
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from protocol.messages.describe_transactions import DescribeTransactionsRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
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


@pytest.mark.parametrize("version", range(6))
def test_an_error_of_add_partitions_is_that_of_each_partition_before_v4(version: int) -> None:
    """Later versions have one error for the whole response."""
    topic = AddPartitionsToTxnTopic(name="t", partitions=[0, 1])
    body = AddPartitionsToTxnRequest(v3_and_below_topics=[topic])

    response: Any = error_response(body, version, ErrorCode.INVALID_REQUEST)

    errors = [
        each.partition_error_code
        for topic_result in response.results_by_topic_v3_and_below
        for each in topic_result.results_by_partition
    ]
    assert (response.error_code, errors) == ((0, [42, 42]) if version < 4 else (42, []))


def test_an_error_of_an_identity_has_none() -> None:
    """Its parts are -1."""
    body = InitProducerIdRequest(transactional_id="t", transaction_timeout_ms=1)
    response: Any = error_response(body, 5, ErrorCode.INVALID_REQUEST)

    assert (response.error_code, response.producer_id, response.producer_epoch) == (42, -1, -1)


def test_an_error_of_a_description_is_that_of_each_id() -> None:
    """In the order of the request."""
    body = DescribeTransactionsRequest(transactional_ids=["b", "a"])
    response: Any = error_response(body, 0, ErrorCode.INVALID_REQUEST)

    assert [(each.transactional_id, each.error_code) for each in response.transaction_states] == [
        ("b", 42),
        ("a", 42),
    ]

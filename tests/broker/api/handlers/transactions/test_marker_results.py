"""The markers of a request on one node, and their results."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.api.handlers.transactions.marker_results import MarkerResults, write_marker
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.write_txn_markers import WritableTxnMarker, WritableTxnMarkerTopic
from tests.client import running_node

pytestmark = pytest.mark.anyio

A, B = TopicPartition("a", 0), TopicPartition("b", 0)


async def test_the_last_result_completes(tmp_path: Path) -> None:
    """The results of several markers of one producer are merged."""
    completed: list[MarkerResults] = []
    results = MarkerResults()
    results.on_complete = completed.append
    results.expect([A])
    results.expect([B])

    results.add(7, {A: ErrorCode.NONE})
    assert (completed, results.missing) == ([], 1)
    results.add(7, {B: ErrorCode.REQUEST_TIMED_OUT})

    assert completed == [results]
    assert results.errors == {7: {A: ErrorCode.NONE, B: ErrorCode.REQUEST_TIMED_OUT}}


async def test_a_marker_is_written_to_the_partitions_of_the_node(tmp_path: Path) -> None:
    """An unknown partition has an error, and the others their markers."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("a")
        results = MarkerResults()
        topics = [WritableTxnMarkerTopic(name=name, partition_indexes=[0]) for name in "ab"]
        marker = WritableTxnMarker(
            producer_id=7,
            producer_epoch=0,
            transaction_result=True,
            topics=topics,
            coordinator_epoch=3,
            transaction_version=0,
        )

        finish(write_marker(node.node.services, marker, results))

        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert results.errors == {7: {A: ErrorCode.NONE, B: unknown}}
        assert node.node.replicas.partitions[A].log.log_end_offset == 1

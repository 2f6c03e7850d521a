"""WriteTxnMarkers."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from protocol.errors import ErrorCode
from protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from protocol.record_batch.batch import batches, records
from protocol.record_batch.control import EndTxnMarker, end_txn_marker
from tests.broker.scenarios.three_nodes import pass_ms, settle, three_nodes
from tests.client import RunningNode, running_node
from tests.parked import parked_on

pytestmark = pytest.mark.anyio

VERSIONS = (1, 2)
Results = dict[tuple[int, str, int], ErrorCode]


def marker(
    *topics: tuple[str, list[int]],
    producer_id: int = 7,
    epoch: int = 3,
    commit: bool = True,
    coordinator_epoch: int = 5,
) -> WritableTxnMarker:
    """The end of a transaction in the partitions of these topics."""
    return WritableTxnMarker(
        producer_id=producer_id,
        producer_epoch=epoch,
        transaction_result=commit,
        topics=[
            WritableTxnMarkerTopic(name=name, partition_indexes=indexes) for name, indexes in topics
        ],
        coordinator_epoch=coordinator_epoch,
    )


def results(response: Any) -> Results:
    """The errors of a response by producer id, topic and partition."""
    return {
        (each.producer_id, topic.name, partition.partition_index): ErrorCode(partition.error_code)
        for each in response.markers
        for topic in each.topics
        for partition in topic.partitions
    }


async def send(node: RunningNode, *markers: WritableTxnMarker, version: int = 2) -> Results:
    """Send markers, and return the results."""
    request = WriteTxnMarkersRequest(markers=list(markers))
    return results(await node.client().send(request, version))


def raw(node: RunningNode, topic: str, partition: int = 0) -> memoryview:
    """The bytes of a log."""
    log = node.node.replicas.partitions[TopicPartition(topic, partition)].log
    found = log.read(0, 1 << 20, log.log_end_offset_metadata, True).records
    return memoryview(bytes(memoryview(found)))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("commit", [True, False])
async def test_a_marker_is_a_control_batch(tmp_path: Path, version: int, commit: bool) -> None:
    """With the producer's id and epoch, and the epoch of the coordinator."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        assert await send(node, marker(("t", [0]), commit=commit), version=version) == {
            (7, "t", 0): ErrorCode.NONE
        }

        log = raw(node, "t")
        [(position, header)] = list(batches(log))
        assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 3, -1)
        assert header.is_control
        assert len(log) == 78
        assert end_txn_marker(log[position:]) == EndTxnMarker(not commit, 5)
        [record] = list(records(log, position))
        assert record.timestamp == node.node.clock.wall_ms()


async def test_a_request_without_markers_has_an_empty_response(tmp_path: Path) -> None:
    """It is sent at once."""
    async with running_node(tmp_path) as node:
        assert await send(node) == {}


async def test_partitions_that_are_not_here_are_unknown(tmp_path: Path) -> None:
    """The others get their markers."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        found = await send(node, marker(("t", [0, 1]), ("other", [0])))

        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert found == {
            (7, "t", 0): ErrorCode.NONE,
            (7, "t", 1): unknown,
            (7, "other", 0): unknown,
        }


async def test_a_marker_of_unknown_partitions_only_has_a_response(tmp_path: Path) -> None:
    """It is sent at once."""
    async with running_node(tmp_path) as node:
        found = await send(node, marker(("t", [0])))

        assert found == {(7, "t", 0): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}


async def test_several_markers_of_a_producer_have_one_result(tmp_path: Path) -> None:
    """Their partitions are merged; those of other producers are separate."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=2)
        request = WriteTxnMarkersRequest(
            markers=[
                marker(("t", [0])),
                marker(("t", [0]), producer_id=8),
                marker(("t", [1])),
            ]
        )

        response = await node.client().send(request)

        assert [each.producer_id for each in response.markers] == [7, 8]
        assert set(results(response)) == {(7, "t", 0), (7, "t", 1), (8, "t", 0)}


async def test_a_partition_that_is_named_twice_gets_one_marker(tmp_path: Path) -> None:
    """Of one transaction."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        assert await send(node, marker(("t", [0, 0]))) == {(7, "t", 0): ErrorCode.NONE}

        assert len(list(batches(raw(node, "t")))) == 1


async def test_a_refused_marker_has_its_error(tmp_path: Path) -> None:
    """A coordinator with an older epoch is fenced."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        await send(node, marker(("t", [0]), coordinator_epoch=5))

        found = await send(node, marker(("t", [0]), coordinator_epoch=4))

        assert found == {(7, "t", 0): ErrorCode.TRANSACTION_COORDINATOR_FENCED}


async def test_many_partitions_get_their_markers(tmp_path: Path) -> None:
    """They are appended in slices."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", partitions=40)

        found = await send(node, marker(("t", list(range(40)))))

        assert found == {(7, "t", index): ErrorCode.NONE for index in range(40)}


async def test_the_group_coordinator_writes_the_markers_of_offsets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its error is that of the partition; the response waits for it."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        node.controller.create_topic(GROUP_METADATA_TOPIC, partitions=3)
        called: list[tuple[Any, ...]] = []
        monkeypatch.setattr(
            "broker.groups.group_coordinator_service.complete_transaction",
            lambda *arguments: called.append(arguments),
        )
        client = node.client()
        client.start(
            WriteTxnMarkersRequest(markers=[marker(("t", [0]), (GROUP_METADATA_TOPIC, [2]))]), 2
        )
        await settle()
        [(_, _, *arguments, on_response)] = called
        assert arguments == [2, 7, 3, EndTxnMarker(is_abort=False, coordinator_epoch=5), 0]
        assert client.nothing_arrived()
        [waiting] = parked_on(node.node)
        ended = {"producer_id": 7, "producer_epoch": 3, "outcome": "commit"}
        assert waiting["waited_for"] == {
            "kind": "markers",
            "need": 2,
            "had": 1,
            "transaction": ended,
        }

        on_response(ErrorCode.NOT_LEADER_OR_FOLLOWER)

        assert results(await client.receive()) == {
            (7, "t", 0): ErrorCode.NONE,
            (7, GROUP_METADATA_TOPIC, 2): ErrorCode.NOT_LEADER_OR_FOLLOWER,
        }


async def test_the_response_waits_for_the_followers(tmp_path: Path) -> None:
    """All replicas in sync have the markers then."""
    async with three_nodes(tmp_path) as cluster:
        cluster.cluster.pause(2)
        pending = await cluster.send(WriteTxnMarkersRequest(markers=[marker(("t", [0]))]), 2)
        assert not pending.has_arrived

        cluster.cluster.resume(2)
        await pass_ms(1000)

        assert results(pending.response) == {(7, "t", 0): ErrorCode.NONE}


async def test_a_marker_that_is_not_replicated_in_time_stays_in_the_log(tmp_path: Path) -> None:
    """The wait is bounded by request.timeout.ms; the coordinator sends the marker again."""
    async with three_nodes(tmp_path, request_timeout_ms="2000") as cluster:
        cluster.cluster.pause(2)
        pending = await cluster.send(WriteTxnMarkersRequest(markers=[marker(("t", [0]))]), 2)
        await pass_ms(1998)
        assert not pending.has_arrived

        await pass_ms(4)

        assert results(pending.response) == {(7, "t", 0): ErrorCode.REQUEST_TIMED_OUT}
        assert cluster.log_of(1).log_end_offset == 1


async def test_a_follower_refuses_markers(tmp_path: Path) -> None:
    """The coordinator sends them to the leader."""
    async with three_nodes(tmp_path) as cluster:
        request = WriteTxnMarkersRequest(markers=[marker(("t", [0]))])

        pending = await cluster.send(request, 2, node_id=2)

        assert results(pending.response) == {(7, "t", 0): ErrorCode.NOT_LEADER_OR_FOLLOWER}


async def test_a_marker_of_a_negative_producer_is_written(tmp_path: Path) -> None:
    """Only -1 means that there is no producer, as in Kafka."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        errors = await send(node, marker(("t", [0]), producer_id=-2))

        assert errors == {(-2, "t", 0): ErrorCode.NONE}
        assert len(list(batches(raw(node, "t")))) == 1


@pytest.mark.parametrize(("producer_id", "epoch"), [(-1, 0), (7, -1), (-1, -1)])
async def test_a_marker_without_a_producer_is_refused(
    tmp_path: Path, producer_id: int, epoch: int
) -> None:
    """Other markers of the request are written, and unknown partitions have their own error."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        errors = await send(
            node,
            marker(("t", [0]), ("unknown", [0]), producer_id=producer_id, epoch=epoch),
            marker(("t", [0]), producer_id=8),
        )

        assert errors == {
            (producer_id, "t", 0): ErrorCode.UNKNOWN_SERVER_ERROR,
            (producer_id, "unknown", 0): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            (8, "t", 0): ErrorCode.NONE,
        }


async def test_the_results_are_made_in_slices(tmp_path: Path) -> None:
    """Those of partitions that do not exist too: the clock advances by 1 ms at each reading."""
    async with running_node(tmp_path) as node:
        node.cluster.steps.now_ms = count().__next__
        found = await send(node, marker(("no", list(range(400)))))

        assert len(found) == 400
        assert node.cluster.steps.slices_run >= 400

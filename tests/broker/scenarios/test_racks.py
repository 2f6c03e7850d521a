"""Consumers with a rack are directed to an in-sync replica in it (KIP-392)."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from broker.config.keys.replication import RACK_AWARE_SELECTOR
from broker.wait_records.recorder import Recorder
from protocol.errors import ErrorCode
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.fetch import PartitionData
from protocol.messages.metadata import MetadataRequest
from tests.broker.scenarios.three_nodes import (
    LAG_MAX_MS,
    PendingResponse,
    ThreeNodes,
    fetched,
    pass_ms,
    settle,
    three_nodes,
)
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster
from tests.requests import fetch_request

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE
RACKS = ("a", "b", "c")
NO_RACK_YET = 10


def in_racks(
    data_dir: Path, racks: tuple[str, ...] = RACKS, partitions: int = 1
) -> AbstractAsyncContextManager[ThreeNodes]:
    """Three nodes in racks, with the selector; node 1 leads the topic."""
    return three_nodes(
        data_dir, partitions, racks=racks, replica_selector_class=RACK_AWARE_SELECTOR
    )


def preferred(pending: PendingResponse, partition: int = 0) -> int:
    """The preferred read replica of a response; nothing is returned with one."""
    data = partition_of(pending, partition)
    assert data.preferred_read_replica == -1 or not data.records
    return data.preferred_read_replica


def partition_of(pending: PendingResponse, partition: int = 0) -> PartitionData:
    """A partition of a fetch response."""
    [topic] = pending.response.responses
    [data] = [each for each in topic.partitions if each.partition_index == partition]
    assert isinstance(data, PartitionData)
    return data


async def test_a_consumer_is_directed_to_the_follower_in_its_rack(tmp_path: Path) -> None:
    """With the offsets of the leader's log, and without records or an error."""
    async with in_racks(tmp_path) as nodes:
        await nodes.produce(b"a")

        pending = await nodes.fetch(0, rack="c")

        data = partition_of(pending)
        assert (data.error_code, data.preferred_read_replica, data.records) == (NONE, 3, b"")
        assert (data.high_watermark, data.last_stable_offset, data.log_start_offset) == (1, 1, 0)


@pytest.mark.parametrize("rack", ["a", "d", ""])
async def test_a_consumer_reads_from_the_leader_otherwise(tmp_path: Path, rack: str) -> None:
    """In the leader's rack, in a rack without a replica, and without a rack."""
    async with in_racks(tmp_path) as nodes:
        await nodes.produce(b"a")

        pending = await nodes.fetch(0, rack=rack)

        assert preferred(pending) == -1
        assert fetched(pending) == [(NONE, [b"a"])]


async def test_the_leader_is_preferred_to_followers_in_its_rack(tmp_path: Path) -> None:
    """Kafka's testPreferredReplicaAsLeaderWhenSameRackFollowerIsOutOfIsr and others."""
    async with in_racks(tmp_path, ("a", "a", "a")) as nodes:
        await nodes.produce(b"a")

        assert preferred(await nodes.fetch(0, rack="a")) == -1


async def test_the_response_does_not_wait(tmp_path: Path) -> None:
    """The consumer is directed at once, although min_bytes are not there (KAFKA-13767)."""
    async with in_racks(tmp_path) as nodes:
        pending = await nodes.fetch(0, rack="b", max_wait_ms=60_000, min_bytes=100_000)

        assert (preferred(pending), pending.after_ms) == (2, 0)


async def test_one_partition_ends_the_wait_of_all(tmp_path: Path) -> None:
    """A partition that another node leads has the records that there are."""
    async with in_racks(tmp_path, partitions=2) as nodes:
        await nodes.lead(2, partition=1)
        await nodes.produce(b"a")

        pending = await nodes.fetch(0, 0, rack="b", max_wait_ms=60_000, min_bytes=100_000)

        assert (preferred(pending), pending.after_ms) == (2, 0)


async def test_a_follower_that_left_the_isr_is_not_preferred(tmp_path: Path) -> None:
    """The consumer reads from the leader until the follower is in sync again."""
    async with in_racks(tmp_path) as nodes:
        nodes.cluster.pause(3)
        await nodes.produce(b"a", acks=1)
        await pass_ms(2 * LAG_MAX_MS)
        assert nodes.isr() == (1, 2)

        assert preferred(await nodes.fetch(0, rack="c")) == -1
        nodes.cluster.resume(3)
        await settle()

        assert preferred(await nodes.fetch(0, rack="c")) == 3


async def test_a_follower_without_the_fetch_offset_is_not_preferred(tmp_path: Path) -> None:
    """It would return OFFSET_OUT_OF_RANGE for records that only the leader has."""
    async with in_racks(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        await nodes.produce(b"b", acks=1)

        assert preferred(await nodes.fetch(1, rack="c")) == 3
        assert preferred(await nodes.fetch(2, rack="c")) == -1


async def test_the_longest_log_in_the_rack_is_preferred(tmp_path: Path) -> None:
    """Of two followers in the rack, the one that has more; of equal ones, the greater id."""
    async with in_racks(tmp_path, ("a", "b", "b")) as nodes:
        await nodes.produce(b"a")
        assert preferred(await nodes.fetch(0, rack="b")) == 3
        nodes.cluster.pause(3)
        await nodes.produce(b"b", acks=1)

        assert preferred(await nodes.fetch(0, rack="b")) == 2


async def test_a_stopped_follower_is_not_preferred(tmp_path: Path) -> None:
    """It is fenced at once."""
    async with in_racks(tmp_path) as nodes:
        await nodes.cluster.stop(3)
        await settle()

        assert preferred(await nodes.fetch(0, rack="c")) == -1


async def test_the_follower_returns_the_records(tmp_path: Path) -> None:
    """It directs nobody elsewhere: only the leader selects."""
    async with in_racks(tmp_path) as nodes:
        await nodes.produce(b"a")
        await pass_ms(502)  # the follower's fetch expires and returns the high watermark

        pending = await nodes.fetch(0, rack="b", node_id=3)

        assert preferred(pending) == -1
        assert fetched(pending) == [(NONE, [b"a"])]


async def test_older_consumers_read_from_the_leader(tmp_path: Path) -> None:
    """Their requests have no rack."""
    async with in_racks(tmp_path) as nodes:
        await nodes.produce(b"a")

        assert fetched(await nodes.fetch(0, version=NO_RACK_YET)) == [(NONE, [b"a"])]


async def test_without_the_selector_consumers_read_from_the_leader(tmp_path: Path) -> None:
    """Kafka's default."""
    async with three_nodes(tmp_path, racks=RACKS) as nodes:
        await nodes.produce(b"a")

        assert fetched(await nodes.fetch(0, rack="c")) == [(NONE, [b"a"])]


async def test_a_waiting_consumer_is_directed_when_its_wait_ends(tmp_path: Path) -> None:
    """The partition is read again then, and a follower in its rack may be in sync by now."""
    async with in_racks(tmp_path) as nodes:
        nodes.cluster.pause(3)
        await nodes.produce(b"a", acks=1)
        await pass_ms(2 * LAG_MAX_MS)
        reader = await nodes.fetch(1, rack="c", max_wait_ms=60_000)
        assert not reader.has_arrived
        nodes.cluster.resume(3)
        await settle()

        await nodes.produce(b"b")

        assert preferred(reader) == 3


async def test_a_session_is_directed_although_nothing_else_has_changed(tmp_path: Path) -> None:
    """Its response has the partition again when a follower in the rack is in sync."""
    async with in_racks(tmp_path) as nodes:
        nodes.cluster.pause(3)
        await nodes.produce(b"a", acks=1)
        await pass_ms(2 * LAG_MAX_MS)
        client = nodes.client()
        request = fetch_request("t", 1, max_wait_ms=0)
        request.rack_id, request.session_id, request.session_epoch = "c", 0, 0
        first = await nodes.send(request, 12, client=client)
        assert preferred(first) == -1
        nodes.cluster.resume(3)
        await settle()

        request = fetch_request("t", max_wait_ms=0)
        request.topics = []
        request.rack_id, request.session_id = "c", first.response.session_id
        request.session_epoch = 1
        second = await nodes.send(request, 12, client=client)

        assert preferred(second) == 3


async def test_clients_see_the_racks(tmp_path: Path) -> None:
    """In Metadata and in DescribeCluster."""
    async with in_racks(tmp_path) as nodes:
        metadata = await nodes.send(MetadataRequest(topics=[]), 12)
        described = await nodes.send(
            DescribeClusterRequest(include_cluster_authorized_operations=False)
        )

        assert [broker.rack for broker in metadata.response.brokers] == list(RACKS)
        assert [broker.rack for broker in described.response.brokers] == list(RACKS)


async def test_new_partitions_have_replicas_in_different_racks(tmp_path: Path) -> None:
    """Two replicas of a topic are never in the same of two racks."""
    async with in_racks(tmp_path, ("a", "a", "b")) as nodes:
        topic = nodes.controller.create_topic("new", partitions=6, replication_factor=2)

        assert all(3 in partition.replicas for partition in topic.partitions)


async def test_the_wait_record_has_the_nodes_of_the_replicas(tmp_path: Path) -> None:
    """Each once; the record of a consumer that is not directed elsewhere lacks the field."""
    async with running_cluster(
        tmp_path, recorder=Recorder, racks=RACKS, replica_selector_class=RACK_AWARE_SELECTOR
    ) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2, 3), (1, 2, 3)])
        await settle()
        for rack in ("c", "a"):
            request = fetch_request("t", 0, 0, max_wait_ms=0)
            request.rack_id = rack
            await cluster.client(1).send(request, 12)

        consumers = [each for each in kept_of(cluster, "Fetch") if each["node"] == 1][-2:]

        assert [each.get("preferred_read_replicas") for each in consumers] == [[3], None]

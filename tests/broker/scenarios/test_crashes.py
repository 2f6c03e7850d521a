"""Crashes and restarts: which node leads, which records survive, and which are truncated."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.controller.partitions.partition_change import Election
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tests.batches import batch
from tests.broker.scenarios.three_nodes import (
    KEY,
    NODES,
    ThreeNodes,
    deleted,
    fetched,
    pass_ms,
    produced,
    settle,
    three_nodes,
    values,
)
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE
BACKOFF_MS = 1000


async def _produce_to(nodes: ThreeNodes, node_id: int, value: bytes, acks: int = -1) -> int:
    """The error of a produce to one node."""
    request = produce_request("t", batch(value), acks=acks, timeout_ms=5000)
    pending = await nodes.send(request, PRODUCE_VERSION, node_id)
    if not pending.has_arrived:
        await pass_ms(5001)
    return produced(pending)[0][0]


def _content(nodes: ThreeNodes, node_id: int) -> list[bytes | None]:
    """All records of one replica."""
    log = nodes.log_of(node_id)
    data = log.read(log.log_start_offset, 1 << 20, log.log_end_offset_metadata, True)
    return values(data.records)


async def test_another_in_sync_replica_leads_at_once(tmp_path: Path) -> None:
    """In a new epoch, with all acknowledged records; the crashed node is out of the in-sync set."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")

        await nodes.cluster.stop(1)
        await settle()

        assert (nodes.leader(), nodes.isr()) == (2, (2, 3))
        assert nodes.replica(2).leader_epoch == 1
        assert await _produce_to(nodes, 2, b"b") == NONE
        assert _content(nodes, 2) == _content(nodes, 3) == [b"a", b"b"]


async def test_a_crashed_follower_ends_the_wait_for_it(tmp_path: Path) -> None:
    """It is fenced, and the high watermark depends on the live replicas only."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        pending = await nodes.produce(b"a")
        await pass_ms(100)

        await nodes.cluster.stop(3)
        await settle()

        assert (produced(pending), pending.after_ms) == ([(NONE, 0)], 100)
        assert nodes.isr() == (1, 2)


async def test_a_crashed_leader_closes_the_connections_of_waiting_requests(tmp_path: Path) -> None:
    """There is no response: the records may or may not survive."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        client = nodes.client()
        client.start(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        await settle()

        await nodes.cluster.stop(1)

        assert await client.closed()
        assert _content(nodes, 2) == [b"a"]


async def test_records_of_the_crashed_leader_alone_are_truncated(tmp_path: Path) -> None:
    """After its restart the node follows and truncates its records with acks=1."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        for node_id in (2, 3):
            nodes.cluster.pause(node_id)
        await nodes.produce(b"lost", acks=1)
        await nodes.produce(b"lost, too", acks=1)
        await nodes.cluster.stop(1)
        for node_id in (2, 3):
            nodes.cluster.resume(node_id)
        assert await _produce_to(nodes, 2, b"b") == NONE

        await nodes.cluster.start(1)
        await settle()

        assert [_content(nodes, n) for n in NODES] == [[b"a", b"b"]] * 3
        assert nodes.isr() == (2, 3, 1)


async def test_acknowledged_records_survive_two_leaders(tmp_path: Path) -> None:
    """Each crashes after the other, and restarts in between."""
    async with three_nodes(tmp_path, min_insync_replicas="2") as nodes:
        sent = []
        for number, (down, leader) in enumerate([(1, 2), (2, 1), (1, 2), (2, 1)]):
            await nodes.cluster.stop(down)
            await settle()
            sent.append(b"%d" % number)
            assert nodes.leader() == leader
            assert await _produce_to(nodes, leader, sent[-1]) == NONE
            await nodes.cluster.start(down)
            await pass_ms(BACKOFF_MS + 1)

        assert [_content(nodes, n) for n in NODES] == [sent] * 3


async def test_a_leader_that_wrote_nothing_follows_again(tmp_path: Path) -> None:
    """The next leader does not know its epoch, and it has no record to truncate."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        await nodes.lead(2)
        await nodes.lead(1)
        await settle()

        pending = await nodes.produce(b"b")

        assert produced(pending) == [(NONE, 1)]
        assert nodes.ends() == [2, 2, 2]


async def test_a_follower_behind_the_leaders_log_starts_over(tmp_path: Path) -> None:
    """The next offset it fetches is deleted: OFFSET_OUT_OF_RANGE, then the first offset."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        await nodes.cluster.stop(3)
        for value in (b"b", b"c", b"d"):
            await nodes.produce(value)
        pending = await nodes.delete(3)
        await pass_ms(600)
        assert deleted(pending) == [(NONE, 3)]

        await nodes.cluster.start(3)
        await settle()

        log = nodes.log_of(3)
        assert (log.log_start_offset, log.log_end_offset) == (3, 4)
        assert _content(nodes, 3) == [b"d"]
        assert nodes.isr() == (1, 2, 3)


async def test_a_follower_that_starts_over_inside_a_batch(tmp_path: Path) -> None:
    """The deletion ended there; the leader sends the whole batch, and its rest is replicated."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.cluster.stop(3)
        await nodes.produce(b"a", b"b", b"c")
        await nodes.delete(2)

        await nodes.cluster.start(3)
        await settle()

        log = nodes.log_of(3)
        assert (log.log_start_offset, log.log_end_offset) == (2, 3)
        assert nodes.isr() == (1, 2, 3)


# ----------------------------------------------------------------------------------- elections


async def _crash_the_last_in_sync_replica(nodes: ThreeNodes) -> None:
    """Node 1 alone is in sync and has a record that the others lack; then it crashes."""
    for node_id in (2, 3):
        await nodes.cluster.stop(node_id)
    await nodes.produce(b"only here")
    await nodes.cluster.stop(1)
    for node_id in (2, 3):
        await nodes.cluster.start(node_id)
    await pass_ms(BACKOFF_MS)


async def test_a_replica_that_may_lack_records_does_not_lead(tmp_path: Path) -> None:
    """The partition waits for the last in-sync replica, and nothing is lost."""
    async with three_nodes(tmp_path) as nodes:
        await _crash_the_last_in_sync_replica(nodes)
        assert nodes.leader() == -1
        assert await _produce_to(nodes, 2, b"b") == ErrorCode.NOT_LEADER_OR_FOLLOWER

        await nodes.cluster.start(1)
        await pass_ms(2 * BACKOFF_MS)

        assert nodes.leader() == 1
        assert [_content(nodes, n) for n in NODES] == [[b"only here"]] * 3
        assert set(nodes.isr()) == {1, 2, 3}


async def test_unclean_leader_elections_happen_where_they_are_allowed(tmp_path: Path) -> None:
    """A live replica leads; records that only the last in-sync replica has are truncated."""
    async with three_nodes(tmp_path, unclean_leader_election_enable="true") as nodes:
        await _crash_the_last_in_sync_replica(nodes)
        assert nodes.leader() == 2
        assert await _produce_to(nodes, 2, b"b") == NONE

        await nodes.cluster.start(1)
        await pass_ms(2 * BACKOFF_MS)

        assert [_content(nodes, n) for n in NODES] == [[b"b"]] * 3


async def test_an_unclean_leader_may_have_less_than_its_followers(tmp_path: Path) -> None:
    """It is elected although another replica has more records, which are truncated."""
    async with three_nodes(tmp_path) as nodes:
        await _crash_the_last_in_sync_replica(nodes)

        assert finish(nodes.controller.elect_leaders(Election.UNCLEAN, [KEY])) == {KEY: None}
        await nodes.cluster.start(1)
        await pass_ms(2 * BACKOFF_MS)

        assert nodes.ends() == [0, 0, 0]


# -------------------------------------------------------------------------------- old metadata


async def test_a_leader_with_old_metadata_acknowledges_nothing(tmp_path: Path) -> None:
    """It appends and waits; the new metadata ends the wait, and its records are truncated.

    The new leader removes it from the in-sync set meanwhile, as it does not fetch.
    """
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        held = nodes.running.node(1).feed
        held.hold()
        await nodes.lead(2)
        await settle()
        pending = await nodes.produce(b"lost", timeout_ms=60_000)
        assert await _produce_to(nodes, 2, b"b") == NONE
        assert nodes.isr() == (2, 3)
        assert not pending.has_arrived

        held.release()
        await pass_ms(2 * BACKOFF_MS)

        assert produced(pending) == [(ErrorCode.NOT_LEADER_OR_FOLLOWER, 1)]
        assert [_content(nodes, n) for n in NODES] == [[b"a", b"b"]] * 3


async def test_a_leader_with_old_metadata_cannot_shrink_the_in_sync_set(tmp_path: Path) -> None:
    """The controller refuses, so it keeps waiting however long its followers do not fetch."""
    async with three_nodes(tmp_path) as nodes:
        nodes.running.node(1).feed.hold()
        await nodes.lead(2)
        await settle()

        pending = await nodes.produce(b"lost", timeout_ms=60_000)
        await pass_ms(30_000)

        assert not pending.has_arrived
        assert nodes.log_of(1).high_watermark == 0


async def test_a_follower_with_old_metadata_catches_up_later(
    tmp_path: Path,
) -> None:
    """It fetches from the old leader, which refuses; nothing is lost."""
    async with three_nodes(tmp_path) as nodes:
        held = nodes.running.node(3).feed
        held.hold()
        await nodes.lead(2)
        await settle()
        pending = await nodes.send(produce_request("t", batch(b"a")), PRODUCE_VERSION, 2)
        await pass_ms(1000)
        assert not pending.has_arrived

        held.release()
        await pass_ms(BACKOFF_MS + 1)

        assert produced(pending) == [(NONE, 0)]


@pytest.mark.parametrize(("timestamp", "offset"), [(-1, 1), (-3, 0), (1 << 45, -1)])
async def test_a_new_leader_does_not_return_an_unknown_end_offset(
    tmp_path: Path, timestamp: int, offset: int
) -> None:
    """OFFSET_NOT_AVAILABLE until its high watermark has reached its epoch (KIP-207).

    Also for a timestamp that no record below the high watermark has.
    """
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        await nodes.cluster.stop(1)
        await settle()
        requested = ListOffsetsPartition(partition_index=0, timestamp=timestamp)
        request = ListOffsetsRequest(
            replica_id=-1, topics=[ListOffsetsTopic(name="t", partitions=[requested])]
        )

        early = await nodes.send(request, 7, 2)
        nodes.cluster.resume(3)
        await pass_ms(BACKOFF_MS + 1)
        late = await nodes.send(request, 7, 2)

        [partition] = early.response.topics[0].partitions
        assert (partition.error_code, partition.offset) == (ErrorCode.OFFSET_NOT_AVAILABLE, -1)
        [partition] = late.response.topics[0].partitions
        assert (partition.error_code, partition.offset) == (NONE, offset)


async def test_all_nodes_stop_and_start(tmp_path: Path) -> None:
    """The last one to stop has all acknowledged records, and leads after the restart."""
    async with three_nodes(tmp_path, min_insync_replicas="2") as nodes:
        await nodes.produce(b"a")
        await nodes.produce(b"b")
        for node_id in NODES:
            await nodes.cluster.stop(node_id)
        for node_id in NODES:
            await nodes.cluster.start(node_id)
        await pass_ms(3 * BACKOFF_MS)

        leader = nodes.leader()
        assert await _produce_to(nodes, leader, b"c") == NONE
        assert [_content(nodes, n) for n in NODES] == [[b"a", b"b", b"c"]] * 3
        assert fetched(await nodes.fetch(0, node_id=leader)) == [(NONE, [b"a", b"b", b"c"])]

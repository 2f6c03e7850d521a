"""What consumers see of replicated partitions, and when; at the leader and at followers.

Each story is one that was played with a real Kafka.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.broker.scenarios.three_nodes import (
    LAG_MAX_MS,
    Answer,
    ThreeNodes,
    fetched,
    pass_ms,
    produced,
    settle,
    three_nodes,
)

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE
NOT_LEADER = ErrorCode.NOT_LEADER_OR_FOLLOWER
CLIENT_METADATA = 11


def _high_watermark(answer: Answer) -> int:
    [topic] = answer.response.responses
    return int(topic.partitions[0].high_watermark)


async def test_nothing_above_the_high_watermark_is_seen(tmp_path: Path) -> None:
    """A consumer at it parks, is not woken by an append, and is woken when it moves."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        await nodes.produce(b"b", acks=1)
        reader = await nodes.fetch(1, max_wait_ms=60_000)
        assert not reader.is_there
        await nodes.produce(b"c", acks=1)
        assert not reader.is_there
        assert await nodes.latest() == 1

        nodes.cluster.resume(3)
        await settle()

        assert fetched(reader) == [(NONE, [b"b"])]
        assert fetched(await nodes.fetch(1)) == [(NONE, [b"b", b"c"])]
        assert await nodes.latest() == 3


async def test_a_reader_that_waits_in_vain_is_told_the_high_watermark(tmp_path: Path) -> None:
    """After max_wait_ms: empty, no error, the high watermark as it was."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        await nodes.produce(b"b", acks=1)

        reader = await nodes.fetch(1, max_wait_ms=700)
        await pass_ms(702)

        assert fetched(reader) == [(NONE, [])]
        assert reader.after_ms == pytest.approx(700, abs=1.01)
        assert _high_watermark(reader) == 1


async def test_between_high_watermark_and_log_end_nobody_waits(tmp_path: Path) -> None:
    """Empty, without error, at once; beyond the log end OFFSET_OUT_OF_RANGE, at once."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        await nodes.produce(b"b", acks=1)
        await nodes.produce(b"c", acks=1)

        above = await nodes.fetch(2, max_wait_ms=5000)
        at_the_end = await nodes.fetch(3, max_wait_ms=5000)
        beyond = await nodes.fetch(4, max_wait_ms=5000)

        assert fetched(above) == fetched(at_the_end) == [(NONE, [])]
        assert fetched(beyond) == [(ErrorCode.OFFSET_OUT_OF_RANGE, [])]
        assert above.after_ms == at_the_end.after_ms == beyond.after_ms == 0


async def test_a_leader_that_moves_ends_the_wait(tmp_path: Path) -> None:
    """Old consumers are sent to the new leader; newer ones may go on reading here."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        old = await nodes.fetch(1, max_wait_ms=5000, version=10)
        new = await nodes.fetch(1, max_wait_ms=5000, version=CLIENT_METADATA)

        await nodes.lead(2)
        await settle()

        assert (fetched(old), old.after_ms) == ([(NOT_LEADER, [])], 0)
        assert not new.is_there


async def test_a_deleted_topic_ends_the_wait(tmp_path: Path) -> None:
    """With UNKNOWN_TOPIC_OR_PARTITION, at once."""
    async with three_nodes(tmp_path) as nodes:
        reader = await nodes.fetch(0, max_wait_ms=5000)

        nodes.controller.delete_topic("t")
        await settle()

        assert fetched(reader) == [(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, [])]


async def test_another_partition_that_moves_brings_what_is_there(tmp_path: Path) -> None:
    """One in error ends the wait of both, and the other's data come though below min_bytes."""
    async with three_nodes(tmp_path, partitions=2) as nodes:
        reader = await nodes.fetch(0, 0, max_wait_ms=5000, min_bytes=10_000, version=10)
        await nodes.produce(b"a")
        assert not reader.is_there

        await nodes.lead(2, partition=1)
        await settle()

        assert fetched(reader) == [(NONE, [b"a"]), (NOT_LEADER, [])]


# ------------------------------------------------------------------------------- at a follower


@pytest.mark.parametrize("version", [4, 10])
async def test_old_consumers_must_ask_the_leader(tmp_path: Path, version: int) -> None:
    """Before v11 a follower answers NOT_LEADER_OR_FOLLOWER, at once."""
    async with three_nodes(tmp_path) as nodes:
        reader = await nodes.fetch(0, max_wait_ms=5000, version=version, node_id=2)

        assert (fetched(reader), reader.after_ms) == ([(NOT_LEADER, [])], 0)


@pytest.mark.parametrize("version", [11, 12])
async def test_new_consumers_may_read_from_a_follower(tmp_path: Path, version: int) -> None:
    """They wake when it learns the high watermark, replica.fetch.wait.max.ms later (KIP-392)."""
    async with three_nodes(tmp_path) as nodes:
        reader = await nodes.fetch(0, max_wait_ms=5000, version=version, node_id=2)
        answer = await nodes.produce(b"a")
        assert produced(answer) == [(NONE, 0)]
        assert not reader.is_there

        await pass_ms(502)

        assert fetched(reader) == [(NONE, [b"a"])]
        assert reader.after_ms == pytest.approx(500, abs=1.01)
        assert _high_watermark(reader) == 1


async def test_a_paused_follower_serves_what_it_has(tmp_path: Path) -> None:
    """It does not fetch, but it answers; who waits for more waits in vain."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        await pass_ms(502)
        nodes.cluster.pause(2)
        await nodes.produce(b"b", acks=1)

        there = await nodes.fetch(0, version=CLIENT_METADATA, node_id=2)
        missing = await nodes.fetch(1, max_wait_ms=600, version=CLIENT_METADATA, node_id=2)
        await pass_ms(602)

        assert fetched(there) == [(NONE, [b"a"])]
        assert fetched(missing) == [(NONE, [])]


async def _with_epoch(nodes: ThreeNodes, epoch: int, node_id: int = 1) -> Answer:
    asked = FetchPartition(
        partition=0, fetch_offset=0, current_leader_epoch=epoch, partition_max_bytes=1 << 20
    )
    request = FetchRequest(
        max_wait_ms=5000, min_bytes=1, topics=[FetchTopic(topic="t", partitions=[asked])]
    )
    return await nodes.ask(request, 12, node_id)


async def test_epochs_are_compared_at_leader_and_follower(tmp_path: Path) -> None:
    """FENCED and UNKNOWN_LEADER_EPOCH at once; the right one parks."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.lead(2)
        await settle()

        for node_id in (1, 2):
            stale = await _with_epoch(nodes, 0, node_id)
            future = await _with_epoch(nodes, 2, node_id)
            right = await _with_epoch(nodes, 1, node_id)
            assert fetched(stale) == [(ErrorCode.FENCED_LEADER_EPOCH, [])]
            assert fetched(future) == [(ErrorCode.UNKNOWN_LEADER_EPOCH, [])]
            assert not right.is_there


async def test_a_new_epoch_ends_the_wait_of_who_knew_the_old_one(tmp_path: Path) -> None:
    """Also where the reader could go on: its epoch is fenced now."""
    async with three_nodes(tmp_path) as nodes:
        reader = await _with_epoch(nodes, 0)

        await nodes.lead(2)
        await settle()

        assert (fetched(reader), reader.after_ms) == ([(ErrorCode.FENCED_LEADER_EPOCH, [])], 0)


async def test_a_set_that_shrinks_wakes_readers(tmp_path: Path) -> None:
    """The records were there all the time; now they are replicated."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(2)
        nodes.cluster.pause(3)
        await nodes.produce(b"a", acks=1)
        reader = await nodes.fetch(0, max_wait_ms=60_000)

        await pass_ms(1.5 * LAG_MAX_MS + 1)

        assert nodes.isr() == (1,)
        assert fetched(reader) == [(NONE, [b"a"])]

"""The responses to consumers of replicated partitions, and their times; from leaders and followers.

Each scenario was compared with a real Kafka.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.broker.scenarios.three_nodes import (
    LAG_MAX_MS,
    PendingResponse,
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


def _high_watermark(pending: PendingResponse) -> int:
    [topic] = pending.response.responses
    return int(topic.partitions[0].high_watermark)


async def test_records_above_the_high_watermark_are_not_returned(tmp_path: Path) -> None:
    """A consumer at it parks; an append does not complete the fetch, a higher watermark does."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        await nodes.produce(b"b", acks=1)
        reader = await nodes.fetch(1, max_wait_ms=60_000)
        assert not reader.has_arrived
        await nodes.produce(b"c", acks=1)
        assert not reader.has_arrived
        assert await nodes.latest() == 1

        nodes.cluster.resume(3)
        await settle()

        assert fetched(reader) == [(NONE, [b"b"])]
        assert fetched(await nodes.fetch(1)) == [(NONE, [b"b", b"c"])]
        assert await nodes.latest() == 3


async def test_a_fetch_that_times_out_returns_the_high_watermark(tmp_path: Path) -> None:
    """After max_wait_ms: no records, no error, the unchanged high watermark."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        nodes.cluster.pause(3)
        await nodes.produce(b"b", acks=1)

        reader = await nodes.fetch(1, max_wait_ms=700)
        await pass_ms(702)

        assert fetched(reader) == [(NONE, [])]
        assert reader.after_ms == pytest.approx(700, abs=1.01)
        assert _high_watermark(reader) == 1


async def test_a_fetch_between_high_watermark_and_log_end_does_not_wait(tmp_path: Path) -> None:
    """No records and no error, at once; above the log end OFFSET_OUT_OF_RANGE, at once."""
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


async def test_a_new_leader_ends_the_wait(tmp_path: Path) -> None:
    """Old consumers get NOT_LEADER_OR_FOLLOWER; newer ones may read from this follower."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        old = await nodes.fetch(1, max_wait_ms=5000, version=10)
        new = await nodes.fetch(1, max_wait_ms=5000, version=CLIENT_METADATA)

        await nodes.lead(2)
        await settle()

        assert (fetched(old), old.after_ms) == ([(NOT_LEADER, [])], 0)
        assert not new.has_arrived


async def test_a_deleted_topic_ends_the_wait(tmp_path: Path) -> None:
    """With UNKNOWN_TOPIC_OR_PARTITION, at once."""
    async with three_nodes(tmp_path) as nodes:
        reader = await nodes.fetch(0, max_wait_ms=5000)

        nodes.controller.delete_topic("t")
        await settle()

        assert fetched(reader) == [(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, [])]


async def test_an_error_of_one_partition_ends_the_wait_of_both(tmp_path: Path) -> None:
    """The records of the other partition are in the response, although they are below min_bytes."""
    async with three_nodes(tmp_path, partitions=2) as nodes:
        reader = await nodes.fetch(0, 0, max_wait_ms=5000, min_bytes=10_000, version=10)
        await nodes.produce(b"a")
        assert not reader.has_arrived

        await nodes.lead(2, partition=1)
        await settle()

        assert fetched(reader) == [(NONE, [b"a"]), (NOT_LEADER, [])]


# ------------------------------------------------------------------------------- at a follower


@pytest.mark.parametrize("version", [4, 10])
async def test_old_consumers_must_fetch_from_the_leader(tmp_path: Path, version: int) -> None:
    """Before v11 a follower responds with NOT_LEADER_OR_FOLLOWER, at once."""
    async with three_nodes(tmp_path) as nodes:
        reader = await nodes.fetch(0, max_wait_ms=5000, version=version, node_id=2)

        assert (fetched(reader), reader.after_ms) == ([(NOT_LEADER, [])], 0)


@pytest.mark.parametrize("version", [11, 12])
async def test_new_consumers_may_read_from_a_follower(tmp_path: Path, version: int) -> None:
    """Their waits end with its next fetch, replica.fetch.wait.max.ms later (KIP-392)."""
    async with three_nodes(tmp_path) as nodes:
        reader = await nodes.fetch(0, max_wait_ms=5000, version=version, node_id=2)
        pending = await nodes.produce(b"a")
        assert produced(pending) == [(NONE, 0)]
        assert not reader.has_arrived

        await pass_ms(502)

        assert fetched(reader) == [(NONE, [b"a"])]
        assert reader.after_ms == pytest.approx(500, abs=1.01)
        assert _high_watermark(reader) == 1


async def test_a_paused_follower_serves_its_records(tmp_path: Path) -> None:
    """It does not fetch, but it responds; a fetch that waits for more times out."""
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


async def _with_epoch(nodes: ThreeNodes, epoch: int, node_id: int = 1) -> PendingResponse:
    requested = FetchPartition(
        partition=0, fetch_offset=0, current_leader_epoch=epoch, partition_max_bytes=1 << 20
    )
    request = FetchRequest(
        max_wait_ms=5000, min_bytes=1, topics=[FetchTopic(topic="t", partitions=[requested])]
    )
    return await nodes.send(request, 12, node_id)


async def test_epochs_are_compared_at_leader_and_follower(tmp_path: Path) -> None:
    """FENCED and UNKNOWN_LEADER_EPOCH at once; the current epoch parks."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.lead(2)
        await settle()

        for node_id in (1, 2):
            stale = await _with_epoch(nodes, 0, node_id)
            future = await _with_epoch(nodes, 2, node_id)
            right = await _with_epoch(nodes, 1, node_id)
            assert fetched(stale) == [(ErrorCode.FENCED_LEADER_EPOCH, [])]
            assert fetched(future) == [(ErrorCode.UNKNOWN_LEADER_EPOCH, [])]
            assert not right.has_arrived


async def test_a_new_epoch_ends_the_wait_of_requests_with_the_old_one(tmp_path: Path) -> None:
    """Although the consumer could continue to read there: its epoch is fenced."""
    async with three_nodes(tmp_path) as nodes:
        reader = await _with_epoch(nodes, 0)

        await nodes.lead(2)
        await settle()

        assert (fetched(reader), reader.after_ms) == ([(ErrorCode.FENCED_LEADER_EPOCH, [])], 0)


async def test_a_smaller_in_sync_set_ends_waits_of_consumers(tmp_path: Path) -> None:
    """The records were in the log before; now they are below the high watermark."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(2)
        nodes.cluster.pause(3)
        await nodes.produce(b"a", acks=1)
        reader = await nodes.fetch(0, max_wait_ms=60_000)

        await pass_ms(1.5 * LAG_MAX_MS + 1)

        assert nodes.isr() == (1,)
        assert fetched(reader) == [(NONE, [b"a"])]

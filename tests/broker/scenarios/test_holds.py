"""Rules that hold the high watermark or the in-sync set of a partition."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from tests.broker.scenarios.three_nodes import (
    LAG_MAX_MS,
    ThreeNodes,
    deleted,
    fetched,
    pass_ms,
    produced,
    settle,
    three_nodes,
)

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE


def _hold(nodes: ThreeNodes, at: int | None = None, **limits: int) -> None:
    """Hold the high watermark at an offset, or the in-sync set."""
    kind = "hold_isr" if at is None else "hold_high_watermark"
    action = {"type": kind} if at is None else {"type": kind, "at": at}
    nodes.cluster.faults.add({"match": {"topic": "t"}, "action": action, **limits})


def _high_watermarks(nodes: ThreeNodes) -> list[int]:
    return [nodes.log_of(node_id).high_watermark for node_id in (1, 2, 3)]


async def test_a_held_high_watermark_does_not_advance(tmp_path: Path) -> None:
    """The records are replicated; a produce below the offset completes, one beyond it waits."""
    async with three_nodes(tmp_path) as nodes:
        _hold(nodes, at=1)
        first = await nodes.produce(b"a")
        second = await nodes.produce(b"b")
        await pass_ms(2000)

        assert produced(first) == [(NONE, 0)]
        assert not second.has_arrived
        assert nodes.ends() == [2, 2, 2]
        assert _high_watermarks(nodes) == [1, 1, 1]


async def test_all_waits_complete_at_the_end_of_the_hold(tmp_path: Path) -> None:
    """A produce, a consumer and a deletion of records."""
    async with three_nodes(tmp_path) as nodes:
        _hold(nodes, at=0)
        waiting = await nodes.produce(b"a")
        consumer = await nodes.fetch(0, max_wait_ms=10_000)
        await pass_ms(1000)
        before = waiting.has_arrived, consumer.has_arrived

        nodes.cluster.faults.clear()
        await settle()

        assert before == (False, False)
        assert produced(waiting) == [(NONE, 0)]
        assert fetched(consumer) == [(NONE, [b"a"])]
        assert _high_watermarks(nodes)[0] == 1


async def test_a_consumer_sees_no_record_above_a_held_high_watermark(tmp_path: Path) -> None:
    """From any replica, nor do ListOffsets and DeleteRecords."""
    async with three_nodes(tmp_path) as nodes:
        _hold(nodes, at=1)
        await nodes.produce(b"a", acks=1)
        await nodes.produce(b"b", acks=1)
        await pass_ms(1000)

        read = [await nodes.fetch(0, node_id=node_id, version=12) for node_id in (1, 2)]
        deletion = await nodes.delete(2)

        assert [fetched(each) for each in read] == [[(NONE, [b"a"])]] * 2
        assert await nodes.latest() == 1
        assert deleted(deletion) == [(ErrorCode.OFFSET_OUT_OF_RANGE, -1)]


async def test_a_hold_below_the_high_watermark_keeps_it(tmp_path: Path) -> None:
    """It never decreases."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a", b"b")
        _hold(nodes, at=1)
        waiting = await nodes.produce(b"c")
        await pass_ms(1000)

        assert _high_watermarks(nodes)[0] == 2
        assert not waiting.has_arrived


async def test_a_hold_expires(tmp_path: Path) -> None:
    """By the clock of the cluster; the waits complete then."""
    async with three_nodes(tmp_path) as nodes:
        _hold(nodes, at=0, for_ms=3000)
        waiting = await nodes.produce(b"a")

        await pass_ms(3100)

        assert waiting.after_ms is not None
        assert 3000 <= waiting.after_ms < 3100


async def test_a_new_leader_observes_the_hold(tmp_path: Path) -> None:
    """The rule is about the partition, not about its leader."""
    async with three_nodes(tmp_path) as nodes:
        _hold(nodes, at=1)
        await nodes.produce(b"a", acks=1)
        await nodes.produce(b"b", acks=1)
        await pass_ms(1000)
        await nodes.lead(2)
        await pass_ms(2000)

        assert _high_watermarks(nodes) == [1, 1, 1]

        nodes.cluster.faults.clear()
        await pass_ms(1000)
        assert _high_watermarks(nodes) == [2, 2, 2]


async def test_the_high_watermark_of_a_single_replica_is_held(tmp_path: Path) -> None:
    """An ``acks=all`` produce waits for it."""
    async with three_nodes(tmp_path) as nodes:
        nodes.controller.create_topic("single", assignments=[(1,)])
        await settle()
        match = {"topic": "single", "partition": 0}
        action = {"type": "hold_high_watermark", "at": 0}
        nodes.cluster.faults.add({"match": match, "action": action})
        waiting = await nodes.produce(b"a", topic="single")
        await pass_ms(1000)
        before = waiting.has_arrived

        nodes.cluster.faults.clear()
        await settle()

        assert not before
        assert produced(waiting) == [(NONE, 0)]


async def test_a_held_in_sync_set_does_not_shrink(tmp_path: Path) -> None:
    """The produce waits for the paused follower until the hold ends."""
    async with three_nodes(tmp_path) as nodes:
        _hold(nodes)
        nodes.cluster.pause(3)
        waiting = await nodes.produce(b"a", timeout_ms=10 * LAG_MAX_MS)
        await pass_ms(3 * LAG_MAX_MS)
        before = nodes.isr(), waiting.has_arrived

        nodes.cluster.faults.clear()
        await pass_ms(LAG_MAX_MS)

        assert before == ((1, 2, 3), False)
        assert nodes.isr() == (1, 2)
        assert produced(waiting) == [(NONE, 0)]


async def test_a_held_in_sync_set_does_not_grow(tmp_path: Path) -> None:
    """A follower that has caught up joins when the hold ends."""
    async with three_nodes(tmp_path) as nodes:
        nodes.cluster.pause(3)
        await nodes.produce(b"a")
        await pass_ms(2 * LAG_MAX_MS)
        _hold(nodes)
        nodes.cluster.resume(3)
        await pass_ms(LAG_MAX_MS)
        before = nodes.isr(), nodes.ends()

        nodes.cluster.faults.clear()
        await pass_ms(1000)

        assert before == ((1, 2), [1, 1, 1])
        assert sorted(nodes.isr()) == [1, 2, 3]


async def test_a_hold_counts_what_it_prevents(tmp_path: Path) -> None:
    """With the node of the leader."""
    async with three_nodes(tmp_path) as nodes:
        _hold(nodes, at=0)
        unused = nodes.cluster.faults.rule(1).fired
        await nodes.produce(b"a", acks=1)
        await pass_ms(1000)

        rule = nodes.cluster.faults.rule(1)
        assert unused == 0
        assert rule.fired > 0
        assert rule.last_fired is not None
        assert rule.last_fired.node == 1

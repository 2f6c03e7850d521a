"""Rules about the links between nodes, and what clients and the in-sync set notice of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.links.direction import End
from protocol.errors import ErrorCode
from tests.broker.scenarios.three_nodes import (
    LAG_MAX_MS,
    ThreeNodes,
    fetched,
    pass_ms,
    produced,
    settle,
    three_nodes,
)

pytestmark = pytest.mark.anyio

NONE = ErrorCode.NONE
WRITTEN = [(NONE, 0)]
# Both directions of the link between node 3 and node 1, which leads.
REQUESTS, RESPONSES = (3, 1), (1, 3)


CUT = {"type": "cut"}


def _add(nodes: ThreeNodes, *ends: tuple[End, End], **action: Any) -> None:
    """Set a rule for each of these directions, by default a cut."""
    for sender, receiver in ends:
        nodes.cluster.faults.add(
            {"link": {"from": sender, "to": receiver}, "action": action or CUT}
        )


def _end(nodes: ThreeNodes) -> None:
    """Remove all rules."""
    nodes.cluster.faults.clear()


async def _poll_ended() -> None:
    """The follower's long poll, which began before the rules, has ended."""
    await pass_ms(501)


@pytest.mark.parametrize("ends", [REQUESTS, RESPONSES])
async def test_a_delay_of_either_direction_delays_replication(
    tmp_path: Path, ends: tuple[int, int]
) -> None:
    """A round trip brings the records, and half of the next one acknowledges them."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, ends, type="delay", ms=100)
        await _poll_ended()

        pending = await nodes.produce(b"a")
        await pass_ms(1000)

        assert produced(pending) == WRITTEN
        assert pending.after_ms is not None
        assert 100 <= pending.after_ms <= 310


@pytest.mark.parametrize("ends", [REQUESTS, RESPONSES])
async def test_a_produce_waits_for_a_follower_whose_link_is_cut(
    tmp_path: Path, ends: tuple[int, int]
) -> None:
    """Until the cut ends."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, ends)
        await _poll_ended()
        pending = await nodes.produce(b"a")
        await pass_ms(1000)
        before = pending.has_arrived

        _end(nodes)
        await settle()

        assert not before
        assert produced(pending) == WRITTEN
        assert nodes.isr() == (1, 2, 3)


@pytest.mark.parametrize("ends", [REQUESTS, RESPONSES])
async def test_a_follower_whose_link_is_cut_leaves_the_in_sync_set(
    tmp_path: Path, ends: tuple[int, int]
) -> None:
    """After ``replica.lag.time.max.ms``; the produce completes, and it joins after the cut."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, ends)
        pending = await nodes.produce(b"a")
        await pass_ms(LAG_MAX_MS / 2)
        before = nodes.isr()
        await pass_ms(LAG_MAX_MS * 2)
        during = nodes.isr(), produced(pending)

        _end(nodes)
        await pass_ms(2000)

        assert before == (1, 2, 3)
        assert during == ((1, 2), WRITTEN)
        assert sorted(nodes.isr()) == [1, 2, 3]
        assert nodes.ends() == [1, 1, 1]


async def test_the_other_direction_of_a_cut_link_works(tmp_path: Path) -> None:
    """The leader gets the follower's request; the follower does not get the response."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, RESPONSES)
        await _poll_ended()

        await nodes.produce(b"a", acks=1)
        await pass_ms(100)

        assert nodes.ends() == [1, 1, 0]
        leader = nodes.replica(1).leader_state
        assert leader is not None
        assert leader.replicas[3].log_end_offset == 0


async def test_other_links_are_not_affected(tmp_path: Path) -> None:
    """Node 2 replicates at once."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, REQUESTS, (2, 3), (3, 2))

        await nodes.produce(b"a", acks=1)

        assert nodes.ends(1, 2) == [1, 1]


@pytest.mark.parametrize("ends", [REQUESTS, RESPONSES])
async def test_a_lost_message_ends_its_connection_after_the_socket_timeout(
    tmp_path: Path, ends: tuple[int, int]
) -> None:
    """The follower connects again and fetches; until then its produce waits."""
    async with three_nodes(tmp_path, replica_socket_timeout_ms="1500") as nodes:
        _add(nodes, ends, type="loss", percent=100)
        await _poll_ended()
        _end(nodes)
        pending = await nodes.produce(b"a")
        await pass_ms(900)
        before = pending.has_arrived

        await pass_ms(2000)

        assert not before
        assert produced(pending) == WRITTEN


async def test_a_connection_to_a_node_behind_a_cut_is_not_opened(tmp_path: Path) -> None:
    """It is tried until the setup timeout, and again after the back-off."""
    async with three_nodes(
        tmp_path, replica_socket_timeout_ms="1500", socket_connection_setup_timeout_ms="700"
    ) as nodes:
        _add(nodes, REQUESTS)
        await _poll_ended()
        await nodes.produce(b"a", acks=1)
        await pass_ms(20_000)
        before = nodes.ends()

        _end(nodes)
        await pass_ms(2000)

        assert (before, nodes.ends()) == ([1, 1, 0], [1, 1, 1])


async def test_a_consumer_reads_while_a_cut_follower_is_in_sync(tmp_path: Path) -> None:
    """Only records that the follower has: it holds back the high watermark."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.produce(b"a")
        _add(nodes, RESPONSES)
        await _poll_ended()
        await nodes.produce(b"b", acks=1)

        pending = await nodes.fetch(0)

        assert fetched(pending) == [(NONE, [b"a"])]


async def test_a_leader_that_is_cut_off_from_its_followers_still_acknowledges_nothing(
    tmp_path: Path,
) -> None:
    """While both are in sync; no record is acknowledged that only it has."""
    async with three_nodes(tmp_path, min_insync_replicas="2") as nodes:
        _add(nodes, (1, 2), (1, 3))
        await _poll_ended()
        pending = await nodes.produce(b"a", timeout_ms=3 * LAG_MAX_MS)

        await pass_ms(2 * LAG_MAX_MS)

        assert nodes.isr() == (1,)
        assert not pending.has_arrived or produced(pending)[0][0] != NONE

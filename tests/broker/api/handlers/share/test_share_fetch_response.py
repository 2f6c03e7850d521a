"""ShareFetch: responses that are throttled, overtaken, or have errors, in virtual time."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from broker.share.share_partition_key import SharePartitionKey
from protocol.errors import ErrorCode
from tests.share_group import ShareGroupOnNode, share_group
from tests.share_member import ShareMember

pytestmark = pytest.mark.anyio


def limit(g: ShareGroupOnNode, per_second: float | None) -> None:
    """Set the quota of all consumers, or remove it."""
    quotas = {"consumer_byte_rate": per_second}
    g.node.controller.client_quotas.alter((("client-id", None),), quotas)


def named(member: ShareMember) -> list[int]:
    """The partitions of the latest response."""
    topics: Any = member.response.responses
    return [data.partition_index for topic in topics for data in topic.partitions]


async def test_a_throttled_response_has_the_results_of_acknowledgements(tmp_path: Path) -> None:
    """The client knows that they were applied, and sends them once."""
    async with share_group(tmp_path) as g:
        await g.produce(1)
        a = g.member("a")
        await a.fetch()
        limit(g, 1)
        assert await a.fetch(acknowledge=["0-0 accept"]) == ""
        assert a.response.throttle_time_ms > 0
        assert named(a) == [0]


async def test_a_throttled_response_does_not_change_the_session(tmp_path: Path) -> None:
    """A new partition is named by the next response."""
    async with share_group(tmp_path, 2) as g:
        a = g.member("a")
        await a.fetch(0)
        limit(g, 1)
        await a.fetch(1)
        assert (a.response.throttle_time_ms > 0, named(a)) == (True, [])
        limit(g, None)
        await a.fetch()
        assert named(a) == [1]
        await a.fetch()
        assert named(a) == []


async def test_a_throttled_response_is_not_counted(tmp_path: Path) -> None:
    """Its size, with the fields around the records, is taken back."""
    async with share_group(tmp_path) as g:
        limit(g, 20)
        a, rates = g.member("a"), []
        for _ in range(2):
            await g.produce(1)
            response = await a.client.send(a.request())
            a.epoch += 1
            (usage,) = g.node.node.client_quotas.fetch.usage()
            rates.append((response.throttle_time_ms > 0, round(usage.rate)))
        assert rates[0][1] == rates[1][1] > 0
        assert [is_throttled for is_throttled, _ in rates] == [False, True]


async def test_an_overtaken_fetch_has_the_results_of_its_acknowledgements(tmp_path: Path) -> None:
    """Beside the error of the session."""
    async with share_group(tmp_path) as g:
        await g.produce(2)
        a = g.member("a")
        await a.fetch()
        overtaking = g.member("a")
        overtaking.epoch = 2
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(a.fetch, acknowledge=["0-0 accept"], max_wait_ms=500))
            await trio.sleep(0.2)
            assert await overtaking.acknowledge("1-1 accept") == 0
        assert a.response.error_code == ErrorCode.INVALID_SHARE_SESSION_EPOCH
        assert named(a) == [0]


async def test_a_partition_that_had_an_error_is_named_by_the_next_response(tmp_path: Path) -> None:
    """So the client knows that the error has ended."""
    async with share_group(tmp_path) as g:
        a = g.member("a")
        await a.fetch()
        assert await a.fetch(max_bytes=-1) == "error -1"
        await a.fetch()
        assert named(a) == [0]
        await a.fetch()
        assert named(a) == []


async def test_an_error_of_an_acknowledgement_names_no_leader(tmp_path: Path) -> None:
    """Only one of the fetch does."""
    async with share_group(tmp_path) as g:
        await g.produce(1)
        a = g.member("a")
        await a.fetch()
        key = SharePartitionKey("g", g.topic_id, 0)
        g.node.node.share_groups.coordinator.initialize(key, 2, 0, lambda _: None)
        assert await a.fetch(acknowledge=["0-0 accept"]) == "acknowledge error 6"
        (data,) = a.response.responses[0].partitions
        assert (data.current_leader.leader_id, a.response.node_endpoints) == (0, [])


async def test_share_partitions_end_with_the_last_connection_of_their_group(tmp_path: Path) -> None:
    """The final epoch of the last session is not enough."""
    async with share_group(tmp_path) as g:
        manager = g.node.node.share_groups.partitions
        for session in list(manager.sessions.sessions.values()):
            manager.sessions.end(session)
        a = g.member("a")
        await a.fetch()
        assert await a.acknowledge(epoch=-1) == 0
        assert len(manager.partitions.by_key) == 1
        a.client.close()
        await trio.sleep(0.1)
        assert manager.partitions.by_key == {}

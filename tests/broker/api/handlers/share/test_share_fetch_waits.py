"""ShareFetch: how long fetches wait, and what completes them, in virtual time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from broker.controller.partitions.partition_change import Election
from broker.share.share_partition_key import SharePartitionKey
from broker.steps.queue import finish
from purgatories.delayed_operation import TIMEOUT
from tests.batches import batch
from tests.client import running_cluster
from tests.share_group import share_group
from tests.share_member import ShareMember, initialize

pytestmark = pytest.mark.anyio

LOCK_MS = 30_000


async def fetch_during(
    member: ShareMember, action: Callable[[], Awaitable[None]]
) -> tuple[str, int]:
    """A fetch that waits for at most 500 ms; *action* is called after 200 ms."""

    async def act() -> None:
        await trio.sleep(0.2)
        await action()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(act)
        return await member.timed_fetch(max_wait_ms=500)


async def test_an_append_completes_a_fetch_that_waits(tmp_path: Path) -> None:
    """The first of those that wait gets the records, the others wait on."""
    async with share_group(tmp_path) as g:
        results: list[tuple[str, str, int]] = []

        async def wait(member_id: str) -> None:
            result = await g.member(member_id).timed_fetch(max_wait_ms=500)
            results.append((member_id, *result))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, "a")
            await trio.sleep(0.001)
            nursery.start_soon(wait, "b")
            await trio.sleep(0.099)
            await g.produce(10)
        assert results == [("a", "0-9#1", 100), ("b", "", 500)]


async def test_an_event_checks_one_of_the_fetches_that_wait_for_the_same(tmp_path: Path) -> None:
    """One with another minimum is checked too, and completes."""
    async with share_group(tmp_path) as g:
        await g.produce(1)
        await g.member("holder").fetch()
        async with trio.open_nursery() as nursery:
            for index, min_bytes in enumerate((5000, 5000, 5000, 1)):
                member = g.member(f"m{index}")
                nursery.start_soon(partial(member.fetch, max_wait_ms=500, min_bytes=min_bytes))
                await trio.sleep(0.001)
            purgatories = {each.name: each for each in g.node.node.purgatories}
            waiting = purgatories["ShareFetch"].waiting_on(TopicPartition("t", 0))
            before = [each.checks for each in waiting]
            await g.produce(1)
            after = [each.checks for each in waiting]
    assert [late - early for early, late in zip(before, after, strict=True)] == [1, 0, 0, 1]
    assert [each.completed_by for each in waiting] == [TIMEOUT, TIMEOUT, TIMEOUT, None]


async def test_less_than_min_bytes_waits_for_the_timeout(tmp_path: Path) -> None:
    """Then whatever is there is acquired."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        assert await g.member("a").timed_fetch(max_wait_ms=500, min_bytes=5000) == ("0-9#1", 500)


async def test_bytes_of_partitions_are_added_up(tmp_path: Path) -> None:
    """A second partition may complete a fetch whose first one has too few bytes."""
    async with share_group(tmp_path, 2) as g:
        size = len(batch(b"x"))
        await g.produce(1)
        await g.produce(1, partition=1)
        result = await g.member("a").timed_fetch(0, 1, max_wait_ms=500, min_bytes=2 * size)
        assert result == ("0-0#1 p1: 0-0#1", 0)


async def test_a_start_offset_that_moves_completes_a_fetch_that_waits(tmp_path: Path) -> None:
    """It gets the records that the same request has released, with a higher count."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        a, b = g.member("a"), g.member("b")
        await a.fetch()

        async def release() -> None:
            assert await a.acknowledge("0-4 accept", "5-9 release") == 0

        assert await fetch_during(b, release) == ("5-9#2", 200)


async def test_a_lock_that_expires_completes_a_fetch_that_waits(tmp_path: Path) -> None:
    """The records are delivered again when the lock of the first member ends."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        await g.member("a").fetch()
        result = await g.member("b").timed_fetch(max_wait_ms=60_000)
        assert result == ("0-9#2", LOCK_MS)


async def test_a_release_completes_no_fetch(tmp_path: Path) -> None:
    """A fetch that waits gets the released records at its timeout."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        a, b = g.member("a"), g.member("b")
        await a.fetch()

        async def release() -> None:
            assert await a.acknowledge("5-9 release") == 0

        assert await fetch_during(b, release) == ("5-9#2", 500)


async def test_the_end_of_a_fetch_checks_those_that_wait(tmp_path: Path) -> None:
    """They get released records that it has left."""
    async with share_group(tmp_path) as g:
        await g.produce(5, 5)
        a, b, c = g.member("a"), g.member("b"), g.member("c")
        for _ in range(2):
            await a.fetch(max_records=5)

        async def fetch_a_part() -> None:
            assert await a.acknowledge("0-9 release") == 0
            await trio.sleep(0.1)
            assert await c.fetch(max_records=5) == "0-4#2"

        result, waited_ms = await fetch_during(b, fetch_a_part)
        assert result == "5-9#2"
        assert waited_ms < 500


async def test_the_end_of_a_fetch_checks_those_of_other_groups(tmp_path: Path) -> None:
    """They wait for the same partition."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a, b = g.member("a"), g.member("b")
        other = ShareMember(g.node.client(), g.topic_id, "c", group_id="h")
        key = SharePartitionKey("h", g.topic_id, 0)
        g.node.node.share_groups.coordinator.initialize(key, 1, 5, lambda _: None)
        await a.fetch()

        async def fetch_in_another_group() -> None:
            assert await a.acknowledge("0-4 release") == 0
            await trio.sleep(0.1)
            await other.fetch(max_wait_ms=100)

        assert await fetch_during(b, fetch_in_another_group) == ("0-4#2", 400)


async def test_a_lock_that_expires_completes_all_fetches_that_can(tmp_path: Path) -> None:
    """Each leaves records for the next one, though no request comes meanwhile."""
    async with share_group(tmp_path) as g:
        await g.produce(5, 5)
        await g.member("a").fetch(batch_size=5)
        results: list[tuple[str, int]] = []

        async def wait(member_id: str) -> None:
            results.append(await g.member(member_id).timed_fetch(max_wait_ms=60_000, max_records=5))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, "b")
            nursery.start_soon(wait, "c")
        assert sorted(results) == [("0-4#2", LOCK_MS), ("5-9#2", LOCK_MS)]


async def test_bytes_of_a_partition_count_up_to_its_part_of_the_limit(tmp_path: Path) -> None:
    """One partition alone cannot complete a fetch of two that wants all of max_bytes."""
    async with share_group(tmp_path, 2) as g:
        await g.produce(5)
        fetching = g.member("a").timed_fetch(0, 1, max_wait_ms=500, min_bytes=60, max_bytes=60)
        assert await fetching == ("0-4#1", 500)


async def test_a_refused_acknowledgement_checks_a_fetch_that_waits(tmp_path: Path) -> None:
    """The fetch gets the records that an earlier request has released."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        a, b = g.member("a"), g.member("b")
        await a.fetch()

        async def acknowledge() -> None:
            assert await a.acknowledge("5-9 release") == 0
            assert await a.acknowledge("12-12 accept") == 42

        result, waited_ms = await fetch_during(b, acknowledge)
        assert result == "5-9#2"
        assert waited_ms < 500


async def test_the_end_of_a_session_releases_its_records(tmp_path: Path) -> None:
    """The end completes no fetch; one that waits gets the records at its timeout."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        a, b = g.member("a"), g.member("b")
        await a.fetch()

        async def leave() -> None:
            assert await a.acknowledge("5-9 accept", epoch=-1) == 0

        assert await fetch_during(b, leave) == ("0-4#2", 500)


async def test_the_end_of_a_connection_ends_its_session(tmp_path: Path) -> None:
    """A member that disappears does not keep its records until their locks expire."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        a, b = g.member("a"), g.member("b")
        await a.fetch()

        async def disappear() -> None:
            a.client.close()

        assert await fetch_during(b, disappear) == ("0-9#2", 500)


async def test_a_waiting_fetch_ends_with_the_leadership(tmp_path: Path) -> None:
    """At its timeout, without records; the next fetch has the error and the new leader."""
    async with running_cluster(
        tmp_path, 2, share_coordinator_state_topic_replication_factor="1"
    ) as cluster:
        topic = cluster.controller.create_topic("t", assignments=[(1, 2)])
        await initialize(cluster.client, topic.topic_id)
        a = ShareMember(cluster.client(1), topic.topic_id)
        await a.fetch(max_wait_ms=5000, min_bytes=0)
        async with trio.open_nursery() as nursery:

            async def move() -> None:
                await trio.sleep(0.2)
                key = TopicPartition("t", 0)
                cluster.controller.reassign(key, [2, 1])
                finish(cluster.controller.elect_leaders(Election.PREFERRED, [key]))

            nursery.start_soon(move)
            assert await a.timed_fetch(max_wait_ms=5000) == ("", 5000)
        assert await a.timed_fetch(max_wait_ms=5000) == ("error 6", 0)
        assert a.response.node_endpoints[0].node_id == 2

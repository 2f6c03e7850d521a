"""ShareFetch: what members acquire, and how long they wait, in virtual time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from broker.controller.partition_change import Election
from broker.steps.queue import finish
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


async def test_records_are_acquired_at_once(tmp_path: Path) -> None:
    """Whole batches, with their bytes, the delivery count, and the lock duration."""
    async with share_group(tmp_path) as g:
        await g.produce(3, 4)
        a = g.member("a")
        assert await a.timed_fetch(max_wait_ms=500) == ("0-6#1", 0)
        assert a.response.acquisition_lock_timeout_ms == LOCK_MS


async def test_bytes_outside_of_the_acquired_records_are_cut_off(tmp_path: Path) -> None:
    """Batches before and after the acquired ones are not sent."""
    async with share_group(tmp_path) as g:
        await g.produce(3, 4, 5)
        a, b = g.member("a"), g.member("b")
        await a.fetch(max_records=1)
        sizes = [len(a.response.responses[0].partitions[0].records)]
        await b.fetch(max_records=1)
        sizes.append(len(b.response.responses[0].partitions[0].records))
        assert sizes == [len(batch(*[b"x"] * 3)), len(batch(*[b"x"] * 4))]


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


async def test_a_release_completes_a_fetch_that_waits(tmp_path: Path) -> None:
    """Records that are available again are delivered with a higher count."""
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


async def test_the_end_of_a_session_completes_a_fetch_that_waits(tmp_path: Path) -> None:
    """The final epoch releases everything that the member has acquired."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        a, b = g.member("a"), g.member("b")
        await a.fetch()

        async def leave() -> None:
            assert await a.acknowledge("0-4 accept", epoch=-1) == 0

        assert await fetch_during(b, leave) == ("5-9#2", 200)


async def test_the_end_of_a_connection_ends_its_session(tmp_path: Path) -> None:
    """A member that disappears does not keep its records until their locks expire."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        a, b = g.member("a"), g.member("b")
        await a.fetch()

        async def disappear() -> None:
            a.client.close()

        assert await fetch_during(b, disappear) == ("0-9#2", 200)


async def test_acknowledgements_and_fetches_in_one_request(tmp_path: Path) -> None:
    """Released records are available when that is stored, so new ones come first."""
    async with share_group(tmp_path) as g:
        await g.produce(5, 5)
        a = g.member("a")
        await a.fetch(max_records=1)
        assert await a.fetch(acknowledge=["0-1 accept", "2-4 release"]) == "5-9#1"
        assert await a.fetch() == "2-4#2"


async def test_a_refused_acknowledgement_does_not_end_the_fetch(tmp_path: Path) -> None:
    """The partition has an acknowledgement error beside its records."""
    async with share_group(tmp_path) as g:
        await g.produce(5, 5)
        a = g.member("a")
        await a.fetch(max_records=1)
        assert await a.fetch(acknowledge=["0-4 7"]) == "acknowledge error 42 5-9#1"


async def test_a_session_names_only_partitions_with_news(tmp_path: Path) -> None:
    """The first response has all partitions, later ones those with records or errors."""
    async with share_group(tmp_path, 3) as g:
        a = g.member("a")
        await a.fetch(0, 1, 2)
        assert _named(a.response) == [0, 1, 2]
        await g.produce(1, partition=1)
        await a.fetch()
        assert _named(a.response) == [1]
        await a.fetch(forgotten=[0, 1, 2])
        assert _named(a.response) == []


async def test_a_partition_that_cannot_be_locked_is_not_named(tmp_path: Path) -> None:
    """The first response leaves it out if its window is full, as in Kafka."""
    async with share_group(tmp_path, group_share_partition_max_record_locks="100") as g:
        await g.produce(100)
        await g.member("a").fetch()
        b = g.member("b")
        assert await b.fetch() == ""
        assert _named(b.response) == []


async def test_a_negative_limit_of_bytes_is_an_error_of_the_partitions(tmp_path: Path) -> None:
    """It is sent at once."""
    async with share_group(tmp_path) as g:
        result = await g.member("a").timed_fetch(max_bytes=-1, max_wait_ms=500)
        assert result == ("error -1", 0)


async def test_partitions_take_turns(tmp_path: Path) -> None:
    """With few records per fetch each partition gets its turn."""
    async with share_group(tmp_path, 2) as g:
        for partition in (0, 1):
            await g.produce(1, 1, partition=partition)
        a = g.member("a")
        found = [await a.fetch(0, 1, max_records=1)]
        found += [await a.fetch(max_records=1) for _ in range(3)]
        assert sorted(found) == ["0-0#1", "1-1#1", "p1: 0-0#1", "p1: 1-1#1"]
        assert found[:2] == ["0-0#1", "p1: 0-0#1"]


@pytest.mark.parametrize(
    ("epoch", "error"), [(1, "error 122"), (-1, "error 122"), (5, "error 122")]
)
async def test_a_session_must_exist(tmp_path: Path, epoch: int, error: str) -> None:
    """Every epoch but 0 needs a session."""
    async with share_group(tmp_path) as g:
        assert await g.member("a").fetch(epoch=epoch) == error


async def test_a_wrong_epoch_does_not_advance_the_session(tmp_path: Path) -> None:
    """Both APIs use the same sequence of epochs."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a = g.member("a")
        await a.fetch()
        assert await a.fetch(epoch=2) == "error 123"
        assert await a.acknowledge("0-4 accept") == 0
        assert await a.fetch() == ""


async def test_acknowledgements_need_a_session(tmp_path: Path) -> None:
    """The first fetch cannot acknowledge, and an acknowledgement cannot open a session."""
    async with share_group(tmp_path) as g:
        a = g.member("a")
        assert await a.fetch(acknowledge=["0-4 accept"]) == "error 42"
        assert await a.acknowledge("0-4 accept", epoch=0) == 123


async def test_a_session_that_is_opened_again_keeps_the_locks(tmp_path: Path) -> None:
    """The records can be acknowledged in the new session."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a = g.member("a")
        await a.fetch()
        assert await a.fetch(epoch=0) == ""
        assert await a.acknowledge("0-4 accept") == 0


async def test_an_overtaken_fetch_is_refused(tmp_path: Path) -> None:
    """A request that waits while the session goes on ends with an error."""
    async with share_group(tmp_path) as g:
        a = g.member("a")
        await a.fetch()
        again = g.member("a")
        again.epoch = 2
        results: list[Any] = []

        async def wait() -> None:
            results.append(await a.timed_fetch(max_wait_ms=500))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.sleep(0.1)
            assert await again.fetch() == ""
        assert results == [("error 123", 500)]


async def test_a_renewal_fetches_nothing(tmp_path: Path) -> None:
    """Its limits must be 0, and the lock begins anew (KIP-1222)."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a = g.member("a")
        await a.fetch()
        await trio.sleep(20)
        renewal: dict[str, Any] = {"renew": True, "acknowledge": ["0-4 renew"]}
        assert await a.fetch(**renewal) == "error 42"
        nothing = {"min_bytes": 0, "max_bytes": 0, "max_records": 0}
        assert await a.fetch(**renewal, **nothing) == ""
        assert await g.member("b").timed_fetch(max_wait_ms=60_000) == ("0-4#2", LOCK_MS)


@pytest.mark.parametrize(
    "parameters", [{"max_records": 0}, {"max_bytes": 0}, {"min_bytes": 0}, {"max_wait_ms": -1}]
)
async def test_without_a_limit_to_wait_for_nothing_waits(
    tmp_path: Path, parameters: dict[str, int]
) -> None:
    """A fetch of nothing, or without a minimum or a time, is answered at once."""
    async with share_group(tmp_path) as g:
        sent = {"max_wait_ms": 500, **parameters}
        assert await g.member("a").timed_fetch(**sent) == ("", 0)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"mode": 7}, "error -1"),
        ({"member_id": ""}, "error 42"),
        ({"member_id": "x" * 37}, "error 42"),
        ({"group_id": None}, "error 42"),
    ],
)
async def test_malformed_requests_are_refused(
    tmp_path: Path, parameters: dict[str, Any], error: str
) -> None:
    """Member ids have at most 36 characters, and modes are known ones."""
    async with share_group(tmp_path) as g:
        a = g.member("a")
        for name in ("member_id", "group_id"):
            if name in parameters:
                setattr(a, name, parameters.pop(name))
        assert await a.fetch(**parameters) == error


async def test_an_unknown_partition_does_not_end_the_wait(tmp_path: Path) -> None:
    """It has its error in the response, which waits for the others."""
    async with share_group(tmp_path) as g:
        assert await g.member("a").timed_fetch(0, 7, max_wait_ms=500) == ("p7: error 3", 500)


async def test_a_deleted_log_start_moves_the_window(tmp_path: Path) -> None:
    """The fetch that detects it is empty, the next one begins at the log start."""
    async with share_group(tmp_path) as g:
        await g.produce(5, 5)
        partition = next(iter(g.node.node.replicas.partitions.values()))
        partition.delete_records(7)
        a = g.member("a")
        assert await a.timed_fetch(max_wait_ms=500) == ("", 0)
        assert await a.fetch() == "7-9#1"


async def test_a_waiting_fetch_ends_with_the_leadership(tmp_path: Path) -> None:
    """The member learns the new leader at once."""
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
            result, waited_ms = await a.timed_fetch(max_wait_ms=5000)
        assert result == "error 6"
        assert a.response.node_endpoints[0].node_id == 2
        assert waited_ms < 1000


def _named(response: Any) -> list[int]:
    return [data.partition_index for topic in response.responses for data in topic.partitions]

"""What wait records say about the records that members hold, in virtual time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.admin.cluster_facts import ClusterFacts
from broker.admin.facts.facts import RequestQuery
from broker.wait_records.recorder import Recorder
from tests.batches import batch
from tests.client import running_cluster
from tests.requests import PRODUCE_VERSION, produce_request
from tests.share_group import ShareGroupOnNode, share_group
from tests.share_member import ShareMember, initialize

pytestmark = pytest.mark.anyio

LOCK_MS = 30_000


async def waiting(g: ShareGroupOnNode) -> dict[str, Any]:
    """What a fetch of a further member waits for."""
    member = g.member("late")
    member.client.start(member.request(max_wait_ms=60_000))
    await trio.testing.wait_all_tasks_blocked()
    [found] = ClusterFacts(g.node.cluster).requests(RequestQuery(parked=True, api="ShareFetch"))
    facts: dict[str, Any] = found["waited_for"]
    return facts


def lock(first: int, last: int, member: str, count: int, left_ms: int) -> dict[str, Any]:
    """The facts of a lock."""
    return {
        "topic": "t",
        "partition": 0,
        "first_offset": first,
        "last_offset": last,
        "member": member,
        "delivery_count": count,
        "lock_expires_in_ms": left_ms,
    }


async def test_the_locks_that_expire_first_are_named(tmp_path: Path) -> None:
    """With the records that each holds still; the number of records is that of all locks."""
    async with share_group(tmp_path) as g:
        await g.produce(4, 3)
        a = g.member("a")
        await a.fetch(max_records=1)
        await trio.sleep(10)
        await g.member("b").fetch()
        await a.acknowledge("0-0 accept", "2-2 accept")
        found = await waiting(g)

    assert found["locks"] == [
        lock(1, 3, "a", 1, LOCK_MS - 10_000),
        lock(4, 6, "b", 1, LOCK_MS),
    ]
    assert (found["acquired"], found["member"]) == (5, "a")
    assert found["lock_expires_in_ms"] == LOCK_MS - 10_000
    assert "available" not in found
    assert "full_window" not in found


async def test_a_window_without_room_and_released_records_are_named(tmp_path: Path) -> None:
    """The release does not complete a fetch that waits already, as in Kafka."""
    async with share_group(tmp_path, group_share_partition_max_record_locks="100") as g:
        await g.produce(100)
        a = g.member("a")
        await a.fetch()
        full = await waiting(g)
        await a.acknowledge("0-1 release")
        [found] = ClusterFacts(g.node.cluster).requests(RequestQuery(parked=True))

    assert (full["full_window"], full["acquired"]) == ("t-0", 100)
    assert (found["waited_for"]["acquired"], found["waited_for"]["available"]) == (98, 2)


async def test_a_wait_without_acquired_records_names_no_lock(tmp_path: Path) -> None:
    """It waits for new records."""
    async with share_group(tmp_path) as g:
        found = await waiting(g)

    assert found == {"kind": "share_records", "group": "g", "need": 1, "had": 0}


async def test_the_lock_that_has_expired_is_the_cause(tmp_path: Path) -> None:
    """With the records that it released."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        topic_id = cluster.controller.create_topic("t").topic_id
        await initialize(cluster.client, topic_id, 1)
        a, b = (ShareMember(cluster.client(1), topic_id, name) for name in "ab")
        await a.fetch(max_wait_ms=5000, min_bytes=0)
        records = produce_request("t", batch(b"x", b"y", b"z"))
        await cluster.client(1).send(records, PRODUCE_VERSION)
        await a.fetch()
        await b.fetch(max_wait_ms=60_000)
        latest, *_ = ClusterFacts(cluster.cluster).requests(RequestQuery(api="ShareFetch"))

    assert latest["completed_by"] == {
        "cause": "lock_expired",
        "topic": "t",
        "partition": 0,
        "lock": {"first_offset": 0, "last_offset": 2, "member": "a", "delivery_count": 1},
    }

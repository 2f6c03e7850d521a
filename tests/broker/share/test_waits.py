"""The wait records of share requests, in virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from antechamber.explain import explanation
from broker.wait_records.recorder import Recorder
from tests.batches import batch
from tests.broker.scenarios.three_nodes import KEY, three_nodes
from tests.broker.scenarios.transactional_client import TransactionalProducer, leader
from tests.broker.wait_records.records import kept_of
from tests.client import RunningCluster, running_cluster
from tests.parked import parked_on
from tests.requests import PRODUCE_VERSION, produce_request
from tests.share_member import ShareMember, fetched, initialize

pytestmark = pytest.mark.anyio

READ_COMMITTED = {"share.isolation.level": "read_committed"}


class RecordedGroup:
    """A share group on a node that records requests, with a topic ``t``."""

    def __init__(self, cluster: RunningCluster) -> None:
        self.cluster = cluster
        self.topic_id = cluster.controller.create_topic("t").topic_id

    def member(self, member_id: str) -> ShareMember:
        """A member of the group, on a connection of its own."""
        return ShareMember(self.cluster.client(1), self.topic_id, member_id)

    async def produce(self, count: int) -> None:
        """Append a batch."""
        sent = produce_request("t", batch(*[b"x"] * count), acks=1)
        await self.cluster.client(1).send(sent, PRODUCE_VERSION)

    @property
    def last(self) -> dict[str, Any]:
        """The record of the latest ShareFetch."""
        return kept_of(self.cluster, "ShareFetch")[-1]

    @property
    def parked(self) -> dict[str, Any]:
        """The ShareFetch that is parked."""
        [found] = [each for each in parked_on(self.cluster.node(1)) if each["api"] == "ShareFetch"]
        return found


@asynccontextmanager
async def recorded_group(folder: Path, **config: Any) -> AsyncIterator[RecordedGroup]:
    """A group that has begun at the end of the empty topic."""
    async with running_cluster(folder, 1, recorder=Recorder, **config) as cluster:
        group = RecordedGroup(cluster)
        await initialize(lambda _: cluster.client(1), group.topic_id)
        await group.member("first").fetch(max_wait_ms=5000, min_bytes=0)
        yield group


async def test_a_timeout_has_what_was_missing_before_it(tmp_path: Path) -> None:
    """The fetch then acquires the records, and does not name its own lock as the reason."""
    async with recorded_group(tmp_path) as g:
        await g.produce(5)
        a, b = g.member("a"), g.member("b")
        await a.fetch()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: b.fetch(max_wait_ms=1500))
            await trio.sleep(0.3)
            await a.acknowledge("0-4 release")
        assert fetched(b.response) == "0-4#2"

        waited_for = g.last["waited_for"]

    assert g.last["completed_by"] == {"cause": "timeout"}
    assert waited_for["available"] == 5
    assert "acquired" not in waited_for


async def test_a_rule_that_holds_the_high_watermark_is_named(tmp_path: Path) -> None:
    """Also when the rule is removed, which ends the wait."""
    async with recorded_group(tmp_path) as g:
        hold = {"match": {"topic": "t"}, "action": {"type": "hold_high_watermark", "at": 0}}
        g.cluster.cluster.faults.add(hold)
        b = g.member("b")
        b.client.start(b.request(max_wait_ms=5000))
        await g.produce(1)
        await trio.testing.wait_all_tasks_blocked()
        now = explanation(g.parked)
        g.cluster.cluster.faults.clear()
        await b.client.receive()

        ended = explanation(g.last)

    assert now[1] == "It waits because fault rule 1 holds the high watermark."
    assert "was completed when the high watermark of t-0 was no longer held." in ended[0]


async def test_a_session_above_the_limit_is_refused_after_a_delay(tmp_path: Path) -> None:
    """The request has no acknowledgements, and waits for no coordinator."""
    async with recorded_group(
        tmp_path, group_share_max_size="2", group_share_max_share_sessions="1"
    ) as g:
        b = g.member("b")
        b.client.start(b.request(max_wait_ms=700))
        await trio.sleep(0.2)
        remaining_ms = g.parked["remaining_ms"]
        await b.client.receive()

        record = g.last

    assert remaining_ms in (499, 500)
    assert (record["purgatory"], record["timeout_ms"]) == ("ShareSessionLimit", 700)
    assert record["waited_for"] == {"kind": "share_session_limit", "group": "g"}
    assert record["completed_by"] == {"cause": "timeout"}
    assert "the delay of a refused share session, and was completed after 700 ms" in " ".join(
        explanation(record)
    )


async def test_a_fetch_that_is_over_waits_for_its_acknowledgements(tmp_path: Path) -> None:
    """The record has both waits."""
    async with recorded_group(tmp_path, share_coordinator_state_topic_num_partitions="1") as g:
        await g.produce(5)
        a = g.member("a")
        await a.fetch()
        state = g.cluster.node(1).replicas.partitions[KEY._replace(topic="__share_group_state")]
        held = {"type": "hold_high_watermark", "at": state.log.high_watermark}
        g.cluster.cluster.faults.add({"match": {"topic": "__share_group_state"}, "action": held})
        a.client.start(a.request(0, acknowledge=["0-1 accept"], max_wait_ms=700))
        await trio.sleep(1.3)
        now = g.parked
        g.cluster.cluster.faults.clear()
        await a.client.receive()

        record = g.last

    assert (now["purgatory"], now["remaining_ms"]) == ("Persister", None)
    [earlier] = record["earlier_waits"]
    assert earlier["purgatory"] == "ShareFetch"
    assert earlier["parked_us"] == pytest.approx(700_000, abs=200)
    assert earlier["completed_by"] == {"cause": "timeout"}
    assert record["waited_for"] == {"kind": "share_state", "group": "g"}
    assert record["completed_by"] == {"cause": "coordinator"}
    assert record["parked_us"] == pytest.approx(1_300_000, abs=200)


async def test_a_read_committed_group_waits_for_the_open_transaction(tmp_path: Path) -> None:
    """The record names the transaction, and its commit as the end; locks are named beside it."""
    async with three_nodes(
        tmp_path, recorder=Recorder, transaction_state_log_num_partitions="1"
    ) as nodes:
        nodes.controller.alter_group_configs("g", lambda _: READ_COMMITTED)
        topic = nodes.controller.topic("t")
        assert topic is not None
        topic_id = topic.topic_id
        await initialize(nodes.running.client, topic_id)
        a, b = (
            ShareMember(nodes.running.client(leader(nodes, KEY)), topic_id, each) for each in "ab"
        )
        await a.fetch(max_wait_ms=5000, min_bytes=0)
        producer = TransactionalProducer(nodes)
        await producer.init()
        await producer.produce(KEY, b"a")

        assert await a.fetch(max_wait_ms=100) == ""
        alone = kept_of(nodes.running, "ShareFetch")[-1]["waited_for"]
        b.client.start(b.request(max_wait_ms=60_000))
        await trio.sleep(1)
        await producer.end(commit=True)
        await b.client.receive()
        committed = kept_of(nodes.running, "ShareFetch")[-1]
        await producer.produce(KEY, b"b")
        await trio.sleep(1)
        assert await a.fetch(max_wait_ms=100) == ""
        with_lock = kept_of(nodes.running, "ShareFetch")[-1]["waited_for"]

    assert (alone["kind"], alone["group"], alone["offset"]) == ("transaction", "g", 0)
    assert alone["transaction"]["transactional_id"] == "billing"
    by = committed["completed_by"]
    assert (by["cause"], by["transaction"]["outcome"]) == ("transaction", "commit")
    assert (with_lock["kind"], with_lock["member"]) == ("share_records", "b")
    assert with_lock["transaction"]["transactional_id"] == "billing"

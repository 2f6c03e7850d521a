"""The share partitions and their in-flight records, in virtual time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.admin.cluster_facts import ClusterFacts
from broker.admin.facts.facts import ShareQuery
from broker.common.topic_partition import TopicPartition
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.share.persister import PersisterStateBatch
from broker.share.share_partition_key import SharePartitionKey
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from tests.share_group import ShareGroupOnNode, share_group

pytestmark = pytest.mark.anyio

LOCK_MS = 30_000


def listed(g: ShareGroupOnNode, query: ShareQuery | None = None) -> list[dict[str, Any]]:
    """The share partitions of the node."""
    return ClusterFacts(g.node.cluster).share_partitions(query or ShareQuery())


def only(g: ShareGroupOnNode) -> dict[str, Any]:
    """The only share partition."""
    [found] = listed(g)
    return found


def batches(g: ShareGroupOnNode) -> list[tuple[Any, ...]]:
    """First and last offset, state, delivery count, member and time left of each batch."""
    names = ("first_offset", "last_offset", "state", "delivery_count", "member")
    return [
        (*(each[name] for name in names), each["lock_expires_in_ms"]) for each in only(g)["batches"]
    ]


async def test_acquired_records_have_their_member_and_the_time_left(tmp_path: Path) -> None:
    """The lock ends after the record lock duration of the group."""
    async with share_group(tmp_path) as g:
        await g.produce(3)
        await g.member("a").fetch()
        await trio.sleep(10)
        found = only(g)

        assert batches(g) == [(0, 2, "acquired", 1, "a", LOCK_MS - 10_000)]
        assert (found["group"], found["topic"], found["partition"]) == ("g", "t", 0)
        assert (found["node"], found["state"], found["leader_epoch"]) == (1, "active", 0)
        assert found["members"] == [
            {"member": "first", "client_id": None},
            {"member": "a", "client_id": None},
        ]
        limits = [found[name] for name in ("in_flight_max", "delivery_count_limit")]
        assert (limits, found["lock_duration_ms"]) == ([2000, 5], LOCK_MS)


async def test_each_offset_has_the_state_that_it_was_given(tmp_path: Path) -> None:
    """Accepted records at the start leave the window; the lag is the number of the others."""
    async with share_group(tmp_path) as g:
        await g.produce(10)
        a = g.member("a")
        await a.fetch()
        await a.acknowledge("0-1 accept", "3-3 accept", "5-5 release", "6-6 reject")
        found = only(g)

        assert [each[:5] for each in batches(g)] == [
            (0, 1, "acknowledged", 1, None),
            (2, 2, "acquired", 1, "a"),
            (3, 3, "acknowledged", 1, None),
            (4, 4, "acquired", 1, "a"),
            (5, 5, "available", 1, None),
            (6, 6, "archived", 1, None),
            (7, 9, "acquired", 1, "a"),
        ]
        offsets = [found[name] for name in ("start_offset", "end_offset", "next_offset")]
        assert (offsets, found["high_watermark"]) == ([2, 9, 5], 10)
        counts = [found[name] for name in ("in_flight", "acquired", "available", "complete")]
        assert (counts, found["lag"]) == ([8, 5, 1, 2], 6)


async def test_records_whose_lock_has_expired_are_available(tmp_path: Path) -> None:
    """They have no member."""
    async with share_group(tmp_path) as g:
        await g.produce(3)
        await g.member("a").fetch()
        await trio.sleep(LOCK_MS / 1000 + 1)

        assert batches(g) == [(0, 2, "available", 1, None, None)]


async def test_a_change_that_is_being_stored_keeps_the_member(tmp_path: Path) -> None:
    """The lock may still expire; the state is that after the change."""
    async with share_group(tmp_path) as g:
        await g.produce(3)
        a = g.member("a")
        await a.fetch()
        hang = {"match": {"api": "WriteShareGroupState"}, "action": {"type": "hang"}}
        g.node.cluster.faults.add(hang)
        with trio.move_on_after(1):
            await a.acknowledge("0-2 accept")

        [found] = only(g)["batches"]
        assert (found["state"], found["member"]) == ("acknowledged", "a")
        assert (found["is_being_stored"], found["lock_expires_in_ms"]) == (True, LOCK_MS - 1000)


async def test_without_sessions_the_stored_state_is_listed(tmp_path: Path) -> None:
    """Acquired records are not stored; released ones keep their delivery count."""
    async with share_group(tmp_path) as g:
        await g.produce(5)
        a = g.member("a")
        await a.fetch()
        await a.acknowledge("0-1 accept", epoch=-1)
        await trio.testing.wait_all_tasks_blocked()
        g.node.node.share_groups.partitions.partitions.end_group("g")
        found = only(g)

        assert batches(g) == [(2, 4, "available", 1, None, None)]
        assert (found["state"], found["node"], found["lag"]) == ("stored", 1, 3)
        assert (found["start_offset"], found["end_offset"]) == (2, 4)


async def test_a_state_that_is_being_read_has_no_offsets(tmp_path: Path) -> None:
    """The leader does not know them yet."""
    async with share_group(tmp_path) as g:
        partitions = g.node.node.share_groups.partitions.partitions
        partitions.get_or_create(SharePartitionKey("h", g.topic_id, 0), TopicPartition("t", 0))
        [found] = listed(g, ShareQuery(group="h"))

        assert (found["state"], found["start_offset"], found["lag"]) == ("loading", None, None)


async def test_a_stored_state_that_cannot_be_used_is_invalid(tmp_path: Path) -> None:
    """Its batches overlap, so the leader refuses it."""
    async with share_group(tmp_path) as g:
        shares = g.node.node.share_groups
        shares.partitions.partitions.end_group("g")
        states = shares.coordinator.states[
            shares.coordinator.runtime.partition_for(str(SharePartitionKey("g", g.topic_id, 0)))
        ]
        [(key, state)] = states.states.items()
        overlapping = (PersisterStateBatch(0, 5, 0, 1), PersisterStateBatch(3, 6, 0, 1))
        object.__setattr__(state, "batches", overlapping)

        assert (only(g)["state"], only(g)["batches"], key.partition) == ("invalid", [], 0)


async def test_share_partitions_are_selected_and_limited(tmp_path: Path) -> None:
    """By group, topic and partition; the batches of each are limited as well."""
    async with share_group(tmp_path, 2) as g:
        await g.produce(1, 1)
        await g.member("a").fetch(0, 1, batch_size=1)

        assert [each["partition"] for each in listed(g)] == [0, 1]
        assert [each["partition"] for each in listed(g, ShareQuery("g", "t", 1))] == [1]
        assert [each["partition"] for each in listed(g, ShareQuery(limit=1))] == [0]
        assert listed(g, ShareQuery(group="other")) == []
        assert listed(g, ShareQuery(topic="u")) == []
        assert [len(each["batches"]) for each in listed(g, ShareQuery(batches=1))] == [1, 0]


async def test_members_have_the_client_ids_that_their_coordinator_knows(tmp_path: Path) -> None:
    """The leader of a partition does not check who is a member of the group."""
    async with share_group(tmp_path) as g:
        ensure_internal_topic(g.node.controller, offsets_topic(g.node.node.config))
        join = ShareGroupHeartbeatRequest(
            group_id="g", member_id="a", member_epoch=0, subscribed_topic_names=["t"]
        )
        await g.node.client().send(join, client_id="billing")
        await g.member("a").fetch()

        assert only(g)["members"] == [
            {"member": "first", "client_id": None},
            {"member": "a", "client_id": "billing"},
        ]

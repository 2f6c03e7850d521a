"""Share groups: where they begin, and what admin requests change while records are acquired."""

from __future__ import annotations

from typing import Any

from broker.common.uuid_text import uuid_text
from integration.machine.deadlines import eventually
from integration.parity.requests import TIME_MS, batch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import SHARE
from integration.parity.share_member import ShareGroup
from integration.parity.share_requests import (
    alter_offsets,
    delete_offsets,
    describe_offsets,
    share_heartbeat,
)
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)


@scenario(on=SHARE)
def share_groups_begin_at_their_reset_offset(kafka: Kafka) -> Observations:
    """At the end by default, at the log start, or at the first record that is young enough."""
    for reset in ("", "latest", "earliest", "by_duration:P1D", "by_duration:P20000D"):
        configs: dict[str, Any] = {"auto_offset_reset": reset} if reset else {}
        group = ShareGroup(kafka, start_offset=-1, records=(5, 5), **configs)
        yield "described", _described(kafka, group)
        group.produce(3)
        yield reset, group.member("a").start(max_wait_ms=2000)


@scenario(on=SHARE)
def share_groups_continue_stored_states(kafka: Kafka) -> Observations:
    """Offsets that the state lacks are delivered as new, the others with their counts."""
    stored = ("3-5 acknowledged 1", "8-12 available 2", "15-15 archived 5", "18-18 available 4")
    group = ShareGroup(kafka, stored=stored, records=(10, 5, 10))
    a, b, c = (group.member(name) for name in "abc")
    yield a.fetch(max_records=1)
    yield b.fetch(max_records=1, mode=1)
    yield c.fetch()
    yield c.fetch()
    yield a.acknowledge("0-2 accept"), a.acknowledge("3-5 accept"), a.acknowledge("6-7 release")
    yield a.fetch(), a.fetch()


@scenario(on=SHARE)
def share_offsets_are_altered_while_records_are_acquired(kafka: Kafka) -> Observations:
    """The leader does not notice until it writes in an older epoch of the group than the change."""
    group = ShareGroup(kafka)
    group.produce(10, 10, 10)
    kafka.request(alter_offsets(group.id, group.topic, {0: 0}))
    group.set(record_lock_duration_ms="60000")
    a, b = group.member("a"), group.member("b")
    yield a.fetch(max_records=1), b.fetch(max_records=1)
    yield "altered", kafka.request(alter_offsets(group.id, group.topic, {0: 15}))
    yield "unaware", a.fetch(max_records=1), a.acknowledge("0-4 accept")
    for epoch in (0, -1):
        kafka.request(share_heartbeat(group.id, "m", epoch, topics=[group.topic]))
    yield "in a new epoch", kafka.request(alter_offsets(group.id, group.topic, {0: 15}))
    yield "refused", a.acknowledge("5-9 accept", message=True)
    yield "not hosted", b.acknowledge("10-14 accept", message=True)
    yield "anew", a.fetch(max_wait_ms=3000, max_records=1)
    yield "earlier locks", b.acknowledge("10-14 accept"), b.acknowledge("15-19 accept")
    yield "own locks", a.acknowledge("15-19 accept")
    yield a.fetch()


@scenario(on=SHARE)
def share_offsets_are_altered_to_any_number(kafka: Kafka) -> Observations:
    """Offsets beyond the end and negative ones are stored; unknown partitions are refused."""
    group = ShareGroup(kafka, 2)
    group.produce(10)
    for offset in (4, 25, -1, -5):
        yield offset, kafka.request(alter_offsets(group.id, group.topic, {0: offset}))
        yield "described", _described(kafka, group)
    for offsets in ({7: 0, 1: 3}, {1: 3, 7: 0}, {1: 3, 0: 2}):
        yield kafka.request(alter_offsets(group.id, group.topic, offsets))
    yield kafka.request(alter_offsets(group.id, kafka.new_name("unknown"), {0: 0}))


@scenario(on=SHARE)
def share_offsets_of_negative_partitions(kafka: Kafka) -> Observations:
    """A negative index of a known topic fails the whole request: only the group is created."""
    group, other, unknown = ShareGroup(kafka, 2), kafka.topic(), kafka.new_name("unknown")
    kafka.formatter.name(uuid_text(kafka.metadata(group.topic).topic_id), "topic id text")
    kafka.request(alter_offsets(group.id, group.topic, {0: 1}))
    for group_id in (group.id, kafka.new_name("group")):
        yield kafka.request(alter_offsets(group_id, unknown, {-1: 0}))
        for offsets in ({-1: 0}, {-1: 0, 0: 3}, {0: 3, -7: 0}, {9: 3, -1: 0}, {-7: 0, -1: 0}):
            for named in ((), (other,), (unknown,)):
                altered = alter_offsets(group_id, group.topic, offsets)
                for topic in named:
                    altered.topics += alter_offsets(group_id, topic, {0: 2}).topics
                yield offsets, named, kafka.request(altered)
        yield "described", kafka.request(describe_offsets(group_id, group.topic, 0, 1))
        yield "described", kafka.request(describe_offsets(group_id, other, 0))
        yield "of all", kafka.request(_all(group_id))
        yield kafka.request(delete_offsets(group_id, group.topic))
        yield kafka.request(delete_offsets(group_id, other))
        yield kafka.request(alter_offsets(group_id, group.topic, {1: 7}))
        yield "of all", kafka.request(_all(group_id))
        kafka.request(share_heartbeat(group_id, "m", 0, topics=[group.topic]))
        yield "joined", kafka.request(alter_offsets(group_id, group.topic, {-1: 0}))


@scenario(on=SHARE)
def share_offsets_are_deleted(kafka: Kafka) -> Observations:
    """Without a state the locks of members cannot be acknowledged, and nothing is delivered."""
    group = ShareGroup(kafka)
    group.produce(10, 10)
    a, b = group.member("a"), group.member("b")
    yield "without a group", kafka.request(delete_offsets(group.id, group.topic))
    yield kafka.request(alter_offsets(group.id, group.topic, {0: 5}))
    yield a.fetch(max_records=1, max_wait_ms=3000)
    yield kafka.request(delete_offsets(group.id, group.topic))
    yield "locked", a.acknowledge("0-9 accept", message=True)
    yield "again", kafka.request(delete_offsets(group.id, group.topic))
    yield b.fetch(max_wait_ms=1500)
    yield _described(kafka, group)


@scenario(on=SHARE)
def share_group_is_deleted_while_records_are_acquired(kafka: Kafka) -> Observations:
    """A group without members can be deleted; its locks cannot be acknowledged any more."""
    group = ShareGroup(kafka)
    group.produce(10)
    kafka.request(alter_offsets(group.id, group.topic, {0: 0}))
    a = group.member("a")
    yield a.fetch(max_wait_ms=3000)
    yield "refused", kafka.request(delete_offsets(kafka.new_name("unknown"), group.topic))
    yield "deleted", kafka.request(DeleteGroupsRequest(groups_names=[group.id]))
    yield a.acknowledge("0-4 accept", message=True)
    yield _described(kafka, group)


@scenario(on=SHARE)
def share_offsets_of_a_group_with_members(kafka: Kafka) -> Observations:
    """While a member heartbeats, offsets are neither altered nor deleted, and no group either."""
    group = ShareGroup(kafka)
    group.produce(5)

    def joined() -> bool:
        response = kafka.request(share_heartbeat(group.id, "m", 0, topics=[group.topic]))
        return not response.error_code

    eventually(joined, "the membership")
    yield kafka.request(alter_offsets(group.id, group.topic, {0: 3}))
    yield kafka.request(delete_offsets(group.id, group.topic))
    yield kafka.request(DeleteGroupsRequest(groups_names=[group.id]))
    yield group.member("a").fetch()


@scenario(on=SHARE)
def share_offsets_are_described(kafka: Kafka) -> Observations:
    """The start offset, and the lag without the records that are complete after it."""
    group = ShareGroup(kafka)
    group.produce(10, 10)
    a = group.member("a")
    yield "new", _described(kafka, group)
    yield a.fetch(max_records=1)
    yield "acquired", _described(kafka, group)
    yield a.acknowledge("4-6 accept"), _described(kafka, group)
    yield a.acknowledge("0-1 accept", "2-2 release"), _described(kafka, group)
    yield a.acknowledge("3-3 reject", "7-9 gap"), _described(kafka, group)
    kafka.request(produce(group.topic, batch("x", at=TIME_MS)))
    yield "more", _described(kafka, group)


@scenario(on=SHARE)
def share_offsets_have_a_leader_epoch(kafka: Kafka) -> Observations:
    """It is that of the leader that has read the state last."""
    group = ShareGroup(kafka)
    group.produce(5)
    yield _described(kafka, group)
    group.read(leader_epoch=5)
    yield _described(kafka, group)


def _all(group_id: str) -> DescribeShareGroupOffsetsRequest:
    """DescribeShareGroupOffsets of all share partitions of a group."""
    group = DescribeShareGroupOffsetsRequestGroup(group_id=group_id, topics=None)
    return DescribeShareGroupOffsetsRequest(groups=[group])


def _described(kafka: Kafka, group: ShareGroup) -> object:
    """What DescribeShareGroupOffsets says of partition 0."""
    (described,) = kafka.request(describe_offsets(group.id, group.topic, 0)).groups
    return described

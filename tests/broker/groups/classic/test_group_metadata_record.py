"""The record of a classic group (the generation tests of ``ClassicGroupTest``)."""

from __future__ import annotations

from dataclasses import replace

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_metadata_record import group_metadata_record, restore_group
from broker.groups.classic.group_state import EMPTY, STABLE
from broker.groups.classic.member import ClassicGroupMember, MemberKey
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.records.classic import GroupMetadataValue
from broker.groups.records.serde import GROUP_RECORDS
from protocol.consumer_protocol import ConsumerProtocolSubscription, write_subscription


def subscription(*topics: str) -> bytes:
    """The metadata of a consumer that subscribes to *topics*."""
    return write_subscription(ConsumerProtocolSubscription(topics=list(topics)), 1)


def consumer(member_id: str, metadata: bytes, kind: str = "consumer") -> ClassicGroupMember:
    """A static member."""
    return ClassicGroupMember(
        MemberKey("g", member_id),
        group_instance_id=f"instance of {member_id}",
        client_id="client",
        client_host="/127.0.0.1",
        rebalance_timeout_ms=60_000,
        session_timeout_ms=10_000,
        protocol_type=kind,
        protocols=(MemberProtocol("p", metadata),),
    )


def group_of(*members: ClassicGroupMember) -> ClassicGroup:
    """A group in its first generation."""
    group = ClassicGroup("g", 1000)
    for member in members:
        group.add(member, None)
    if members:
        group.generation_id = 1
        group.restore("p", STABLE)
    return group


def read_back(record: CoordinatorRecord) -> ClassicGroup:
    """The group that another node restores from the record."""
    read = GROUP_RECORDS.deserialize(GROUP_RECORDS.serialize(record))
    assert read is not None
    group = ClassicGroup("g", 9000)
    restore_group(group, read.value)
    return group


def test_a_generation_is_restored_from_its_record() -> None:
    """Members, assignments, leader, and the time of the last transition."""
    group = group_of(consumer("a", subscription("t")), consumer("b", subscription("u")))
    restored = read_back(group_metadata_record(group, {"a": b"part a", "b": b"part b"}))

    assert (restored.generation_id, restored.leader_id, restored.state) == (1, "a", STABLE)
    assert (restored.protocol_type, restored.protocol_name) == ("consumer", "p")
    assert restored.state_since_wall_ms == 1000
    assert restored.static_members == {"instance of a": "a", "instance of b": "b"}
    member = restored.members["b"]
    assert (member.client_id, member.client_host) == ("client", "/127.0.0.1")
    assert (member.rebalance_timeout_ms, member.session_timeout_ms) == (60_000, 10_000)
    assert member.assignment == b"part b"
    assert member.metadata("p") == subscription("u")


def test_no_member_of_a_restored_group_waits() -> None:
    """Members whose requests waited at the former coordinator send them again."""
    group = group_of(consumer("a", b""))
    group.set_awaiting_join(group.members["a"], print)

    assert read_back(group_metadata_record(group, {"a": b""})).awaiting_join_count == 0


def test_a_group_without_members_is_empty() -> None:
    """It keeps its protocol type, which decides when its offsets expire."""
    group = ClassicGroup("g", 1000)
    group.protocol_type = "consumer"
    restored = read_back(group_metadata_record(group, {}))

    assert (restored.state, restored.leader_id, restored.protocol_name) == (EMPTY, None, None)
    assert restored.protocol_type == "consumer"


def test_fields_that_old_versions_lack_have_defaults() -> None:
    """The rebalance timeout (version 1) and the time of the last transition (version 2)."""
    value = group_metadata_record(group_of(consumer("a", b"")), {"a": b""}).value
    assert isinstance(value, GroupMetadataValue)
    (member,) = value.members
    old = replace(
        value, current_state_timestamp=-1, members=[replace(member, rebalance_timeout=-1)]
    )
    group = ClassicGroup("g", 9000)
    restore_group(group, old)

    assert group.members["a"].rebalance_timeout_ms == 10_000
    assert group.state_since_wall_ms == 9000

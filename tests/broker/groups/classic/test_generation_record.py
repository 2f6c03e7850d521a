"""A generation as its record and back (the generation tests of ``ClassicGroupTest``)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.groups.classic.generation_record import (
    generation_record,
    restore_generation,
    subscribed_topics,
)
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import EMPTY, STABLE
from broker.groups.classic.member import ClassicGroupMember, MemberKey
from broker.groups.classic.requests import MemberProtocol
from broker.groups.records.classic import GroupMetadataValue
from broker.groups.records.serde import Record, deserialize, serialize
from protocol.consumer_protocol import ConsumerProtocolSubscription, write_subscription


def subscription(*topics: str) -> bytes:
    """What a consumer of these topics says of itself."""
    return write_subscription(ConsumerProtocolSubscription(topics=list(topics)), 1)


def consumer(member_id: str, metadata: bytes, kind: str = "consumer") -> ClassicGroupMember:
    """A member that is an instance, too."""
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


def read_back(record: Record) -> ClassicGroup:
    """The group that another node finds in its log."""
    read = deserialize(serialize(record))
    assert read is not None
    group = ClassicGroup("g", 9000)
    restore_generation(group, read.value)
    return group


def test_a_generation_is_found_as_it_was_written() -> None:
    """Members, their parts, who leads, and since when."""
    group = group_of(consumer("a", subscription("t")), consumer("b", subscription("u")))
    restored = read_back(generation_record(group, {"a": b"part a", "b": b"part b"}))

    assert (restored.generation_id, restored.leader_id, restored.state) == (1, "a", STABLE)
    assert (restored.protocol_type, restored.protocol_name) == ("consumer", "p")
    assert restored.state_since_wall_ms == 1000
    assert restored.static_members == {"instance of a": "a", "instance of b": "b"}
    member = restored.members["b"]
    assert (member.client_id, member.client_host) == ("client", "/127.0.0.1")
    assert (member.rebalance_timeout_ms, member.session_timeout_ms) == (60_000, 10_000)
    assert member.assignment == b"part b"
    assert member.metadata("p") == subscription("u")


def test_nobody_waits_in_a_group_that_was_found() -> None:
    """Members that waited for the former coordinator have to ask again."""
    group = group_of(consumer("a", b""))
    group.set_awaiting_join(group.members["a"], print)

    assert read_back(generation_record(group, {"a": b""})).awaiting_join_count == 0


def test_a_group_without_members_is_empty() -> None:
    """It keeps its type, so that its offsets age as those of that type do."""
    group = ClassicGroup("g", 1000)
    group.protocol_type = "consumer"
    restored = read_back(generation_record(group, {}))

    assert (restored.state, restored.leader_id, restored.protocol_name) == (EMPTY, None, None)
    assert restored.protocol_type == "consumer"


def test_old_records_lack_some_times() -> None:
    """Version 0 has no rebalance timeout; before version 2 nobody noted since when."""
    value = generation_record(group_of(consumer("a", b"")), {"a": b""}).value
    assert isinstance(value, GroupMetadataValue)
    (member,) = value.members
    old = replace(
        value, current_state_timestamp=-1, members=[replace(member, rebalance_timeout=-1)]
    )
    group = ClassicGroup("g", 9000)
    restore_generation(group, old)

    assert group.members["a"].rebalance_timeout_ms == 10_000
    assert group.state_since_wall_ms == 9000


def test_consumers_tell_which_topics_they_read() -> None:
    """All of them together."""
    group = group_of(consumer("a", subscription("t", "u")), consumer("b", subscription("u", "v")))

    assert subscribed_topics(group) == frozenset("tuv")


@pytest.mark.parametrize(
    "group",
    [
        group_of(consumer("a", subscription("t"), "connect")),
        group_of(consumer("a", subscription("t")), consumer("b", b"\x00")),
        group_of(),
    ],
    ids=["no consumers", "a consumer that makes no sense", "no members"],
)
def test_of_others_it_is_not_known(group: ClassicGroup) -> None:
    """Then it cannot be told which offsets are not needed any more."""
    assert subscribed_topics(group) is None

"""Classic group (mirrors ``ClassicGroupTest``)."""

from __future__ import annotations

import re
from contextlib import nullcontext

import pytest

from broker.common.errors import ApiError
from broker.groups.classic.group import ClassicGroup, generate_member_id
from broker.groups.classic.group_state import (
    COMPLETING_REBALANCE,
    DEAD,
    PREPARING_REBALANCE,
    STABLE,
    ClassicGroupState,
)
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.classic.requests import JoinResult
from broker.groups.group import Committer
from broker.groups.offset_and_metadata import OffsetAndMetadata
from protocol.consumer_protocol import ConsumerProtocolSubscription, write_subscription
from protocol.errors import ErrorCode
from tests.broker.groups.members import member, protocols_of


def group_of(*names: str) -> ClassicGroup:
    group = ClassicGroup("g", 0)
    for name in names:
        group.add(member(name), print)
    return group


def test_the_first_member_leads() -> None:
    """It also determines the protocol type."""
    group = group_of("a", "b")

    assert group.leader_id == "a"
    assert group.protocol_type == "consumer"


def test_another_member_leads_when_the_leader_leaves() -> None:
    """A group with members always has a leader, an empty one has none."""
    group = group_of("a", "b")
    group.remove("a")
    assert group.leader_id == "b"
    group.remove("b")
    assert group.leader_id is None


def test_all_members_have_joined_if_none_is_pending() -> None:
    """Pending member ids count as missing (KIP-394)."""
    group = group_of("a", "b")
    assert group.has_all_members_joined
    group.pending_join_members.add("c")
    assert not group.has_all_members_joined
    group.remove("c")
    assert group.has_all_members_joined


def test_a_waiting_member_is_counted_once() -> None:
    """A repeated join replaces the former one; `take_join` ends the wait."""
    group = group_of("a")
    each = group.members["a"]
    got: list[JoinResult] = []
    group.update(each, protocols_of("p"), frozenset("p"), 1, 2, got.append)

    assert group.awaiting_join_count == 1
    assert group.take_join(each) == got.append
    assert group.awaiting_join_count == 0
    assert group.take_join(each) is None


def test_a_member_that_leaves_does_not_wait() -> None:
    """It is not counted any more."""
    group = group_of("a", "b")
    group.remove("b")

    assert group.awaiting_join_count == 1


def test_the_rebalance_timeout_is_the_longest_of_all_members() -> None:
    """It is zero without members."""
    group = ClassicGroup("g", 0)
    assert group.rebalance_timeout_ms == 0
    for name, timeout_ms in (("a", 5), ("b", 9), ("c", 7)):
        group.add(member(name, rebalance_timeout_ms=timeout_ms), None)
    assert group.rebalance_timeout_ms == 9


def test_an_update_changes_the_supported_protocols() -> None:
    """A protocol that the member no longer supports is not a candidate."""
    group = ClassicGroup("g", 0)
    group.add(member("a", "x", "y"), None)
    group.add(member("b", "x", "y"), None)
    group.update(group.members["b"], protocols_of("y"), frozenset("y"), 1, 1, None)

    assert group.select_protocol() == "y"


def test_the_leader_is_kept_if_it_has_joined() -> None:
    """Otherwise the first member that has joined leads."""
    group = group_of("a", "b", "c")
    assert group.maybe_elect_new_joined_leader()
    assert group.leader_id == "a"
    group.take_join(group.members["a"])
    assert group.maybe_elect_new_joined_leader()
    assert group.leader_id == "b"


def test_only_a_member_that_has_joined_can_lead() -> None:
    """Without one there can be no generation."""
    group = ClassicGroup("g", 0)
    assert not group.maybe_elect_new_joined_leader()
    group.add(member("a"), None)
    assert not group.maybe_elect_new_joined_leader()


def test_a_replaced_static_member_keeps_assignment_and_leadership() -> None:
    """Only its id changes (KIP-345)."""
    group = ClassicGroup("g", 0)
    old = member("a-1", instance="i")
    old.assignment = b"part"
    group.add(old, None)

    new = group.replace_static_member(old, "a-2")

    assert group.members == {"a-2": new}
    assert group.static_members == {"i": "a-2"}
    assert group.leader_id == "a-2"
    assert new.assignment == b"part"
    assert group.select_protocol() == "p"


@pytest.mark.parametrize(
    ("member_id", "instance", "error"),
    [
        ("a", "i", None),
        ("a", None, None),
        ("b", None, ErrorCode.UNKNOWN_MEMBER_ID),
        ("b", "i", ErrorCode.FENCED_INSTANCE_ID),
        ("a", "j", ErrorCode.UNKNOWN_MEMBER_ID),
        ("", "", ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_a_member_is_checked_by_member_id_and_instance_id(
    member_id: str, instance: str | None, error: ErrorCode | None
) -> None:
    """The instance id must be known and belong to the member id."""
    group = ClassicGroup("g", 0)
    group.add(member("a", instance="i"), None)

    if error is None:
        assert group.check_member(member_id, instance).member_id == "a"
    else:
        with pytest.raises(ApiError) as refused:
            group.check_member(member_id, instance)
        assert refused.value.code is error


def test_an_empty_group_supports_any_protocol() -> None:
    """A type and one protocol at least must be given."""
    group = ClassicGroup("g", 0)

    assert group.supports_protocols("connect", frozenset("x"))
    assert not group.supports_protocols("", frozenset("x"))
    assert not group.supports_protocols("connect", frozenset())


def test_a_generation_begins_with_the_next_number_and_a_protocol() -> None:
    """Without members it has no protocol and the group is Empty."""
    group = group_of("a")
    group.transition_to(PREPARING_REBALANCE, 0)
    group.init_next_generation(7)
    assert (group.state, group.generation_id, group.protocol_name) == (
        "CompletingRebalance",
        1,
        "p",
    )
    assert group.state_since_wall_ms == 7

    group.remove("a")
    group.transition_to(PREPARING_REBALANCE, 0)
    group.init_next_generation(8)
    assert (group.state, group.generation_id, group.protocol_name) == ("Empty", 2, None)


def test_a_member_id_begins_with_the_client_id_or_instance_id() -> None:
    """A UUID follows."""
    assert re.fullmatch(r"app-[0-9a-f-]{36}", generate_member_id("app", None))
    assert re.fullmatch(r"i1-[0-9a-f-]{36}", generate_member_id("app", "i1"))
    assert generate_member_id("app", None) != generate_member_id("app", None)


def dead_group() -> ClassicGroup:
    """A group that was unloaded while a caller still has it."""
    group = group_of()
    group.transition_to(DEAD, 0)
    return group


def committer(
    generation_id: int = -1,
    member_id: str = "",
    instance_id: str | None = None,
    *,
    is_transactional: bool = False,
) -> Committer:
    return Committer(
        generation_id_or_member_epoch=generation_id,
        member_id=member_id,
        group_instance_id=instance_id,
        api_version=9,
        is_transactional=is_transactional,
    )


def test_a_dead_group_refuses_all_operations() -> None:
    """Mirrors testValidateOffsetCommit, testValidateOffsetFetch and testValidateDeleteGroup."""
    group = dead_group()
    for is_transactional in (False, True):
        with pytest.raises(ApiError, match="COORDINATOR_NOT_AVAILABLE"):
            group.check_offset_commit(committer(is_transactional=is_transactional))
    for check in (group.check_deletion, group.check_offset_deletion):
        with pytest.raises(ApiError, match="GROUP_ID_NOT_FOUND"):
            check()
    with pytest.raises(ApiError, match="GROUP_ID_NOT_FOUND"):
        group.check_offset_fetch(None, -1)


@pytest.mark.parametrize(
    ("generation_id", "member_id", "instance_id", "error"),
    [
        (-1, "", None, None),
        (-2, "", None, None),
        (1, "a", "i", None),
        (1, "a", None, None),
        (2, "a", None, "ILLEGAL_GENERATION"),
        (0, "a", None, "ILLEGAL_GENERATION"),
        (-1, "a", None, "ILLEGAL_GENERATION"),
        (1, "x", None, "UNKNOWN_MEMBER_ID"),
        (1, "", None, "UNKNOWN_MEMBER_ID"),
        (-1, "", "i", "FENCED_INSTANCE_ID"),
        (1, "x", "i", "FENCED_INSTANCE_ID"),
        (-1, "a", "other", "UNKNOWN_MEMBER_ID"),
    ],
)
@pytest.mark.parametrize("state", [PREPARING_REBALANCE, COMPLETING_REBALANCE, STABLE])
def test_a_transactional_commit(
    state: ClassicGroupState,
    generation_id: int,
    member_id: str,
    instance_id: str | None,
    error: str | None,
) -> None:
    """Any of member, instance and generation must be right; none is right in every state."""
    group = ClassicGroup("g", 0)
    group.add(member("a", instance="i"), None)
    group.generation_id = 1
    for each in (PREPARING_REBALANCE, COMPLETING_REBALANCE, STABLE):
        group.transition_to(each, 0)
        if each is state:
            break
    commit = committer(generation_id, member_id, instance_id, is_transactional=True)

    with pytest.raises(ApiError, match=error) if error else nullcontext():
        assert group.check_offset_commit(commit) is None


def test_the_retention_of_offsets_begins_by_state() -> None:
    """Mirrors testOffsetExpirationCondition."""
    offset = OffsetAndMetadata(5, commit_timestamp_ms=1000)
    simple, empty, stable, opaque = (ClassicGroup("g", 7000) for _ in range(4))
    empty.protocol_type = "consumer"
    for group, topics in ((stable, frozenset({"t"})), (opaque, None)):
        group.add(member("a"), None)
        group.restore("p", STABLE)
        group.subscribed_topics = topics

    assert [each.retention_base_ms(offset) for each in (simple, empty, stable, opaque)] == [
        1000,
        7000,
        1000,
        None,
    ]


# --------------------------------------------------------------------------- subscribed topics


def consumers(*metadata: bytes, protocol_type: str = "consumer") -> ClassicGroup:
    """A stable group with a member for each of *metadata*."""
    group = ClassicGroup("g", 0)
    for number, each in enumerate(metadata):
        consumer = member(f"m{number}")
        consumer.protocol_type = protocol_type
        consumer.protocols = (MemberProtocol("p", each),)
        group.add(consumer, None)
    if metadata:
        group.restore("p", STABLE)
    return group


def subscription(*topics: str) -> bytes:
    """The metadata of a consumer that subscribes to *topics*."""
    return write_subscription(ConsumerProtocolSubscription(topics=list(topics)), 1)


def test_a_group_is_subscribed_to_the_topics_of_all_consumers() -> None:
    """Mirrors testComputeSubscribedTopics."""
    group = consumers(subscription("t", "u"), subscription("u", "v"))

    assert group.subscribed_topics == frozenset("tuv")


@pytest.mark.parametrize(
    "group",
    [
        consumers(subscription("t"), protocol_type="connect"),
        consumers(subscription("t"), b"\x00"),
        consumers(),
    ],
    ids=["another protocol type", "malformed metadata", "no members"],
)
def test_the_subscribed_topics_of_other_groups_are_unprotocols_of(group: ClassicGroup) -> None:
    """So it is unknown which of their offsets are unused."""
    assert group.subscribed_topics is None

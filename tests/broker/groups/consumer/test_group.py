"""Consumer group (mirrors ``ConsumerGroupTest``)."""

from __future__ import annotations

from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.consumer.group import ConsumerGroup, ResolvedRegex
from broker.groups.consumer.member import ConsumerGroupMember, MemberState
from broker.groups.group import Committer
from broker.groups.group_states import GroupStates
from broker.groups.offset_and_metadata import OffsetAndMetadata
from protocol.errors import ErrorCode
from tests.broker.groups.consumer.books import T, U, classic, group_of, member, owned

REGEX = {"subscribed_topic_regex": "t.*"}


def commit_as(
    group: ConsumerGroup,
    member_id: str = "m",
    epoch: int = 5,
    version: int = 9,
    *,
    instance_id: str | None = None,
    is_transactional: bool = False,
) -> ErrorCode:
    """The error of a commit for partition 0 of t."""
    committer = Committer(
        generation_id_or_member_epoch=epoch,
        member_id=member_id,
        group_instance_id=instance_id,
        api_version=version,
        is_transactional=is_transactional,
    )
    try:
        check = group.check_offset_commit(committer)
        if check is not None:
            check("t", T, 0)
    except ApiError as error:
        return error.code
    return ErrorCode.NONE


# -------------------------------------------------------------------------------------- state


def test_the_states_of_a_group() -> None:
    """Mirrors testGroupState."""
    group = ConsumerGroup("g")
    states = [group.state_name]
    group.put(member("a", member_epoch=1))
    group.epoch = 2
    states.append(group.state_name)
    group.assignment_epoch = 2
    states.append(group.state_name)
    group.put(member("a", member_epoch=2, state=MemberState.UNRELEASED_PARTITIONS))
    states.append(group.state_name)
    group.put(member("a", member_epoch=2))
    states.append(group.state_name)

    assert states == ["Empty", "Assigning", "Reconciling", "Reconciling", "Stable"]


def test_the_assignor_is_the_one_that_most_members_prefer() -> None:
    """Mirrors testPreferredServerAssignor; members without a preference do not count."""
    group = group_of(member("a"), member("b"))
    assert group.preferred_assignor() is None

    for name, assignor in (("c", "range"), ("d", "uniform"), ("e", "range")):
        group.put(member(name, server_assignor=assignor))

    assert group.preferred_assignor() == "range"


@pytest.mark.parametrize("names", [("range", "uniform"), ("uniform", "range")])
def test_a_tie_of_assignors_is_decided_by_the_order_of_a_hash_table(names: tuple[str, str]) -> None:
    """As in Kafka 4.3.1, it does not matter which member joins first."""
    group = group_of(*(member(name, server_assignor=name) for name in names))

    assert group.preferred_assignor() == "uniform"


def test_changes_to_a_copy_do_not_affect_the_group() -> None:
    """Its tables are copied."""
    group = group_of(member("a", instance_id="i"))
    copied = group.copy()
    copied.put(member("b", instance_id="j"))
    copied.remove("a")
    copied.epoch = 9
    copied.target["b"] = {T: frozenset({0})}
    copied.regexes["t.*"] = ResolvedRegex(frozenset(), 1, 1)

    assert (list(group.members), group.static_members) == (["a"], {"i": "a"})
    assert (group.epoch, group.target, group.regexes) == (2, {}, {})


# ------------------------------------------------------------------------------------ members


def test_members_are_found_by_their_id() -> None:
    """Mirrors testGetOrCreateMember: an unknown id is an error."""
    group = group_of(member("a"))

    assert group.member("a").member_id == "a"
    with pytest.raises(ApiError) as refused:
        group.member("b")
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID
    assert refused.value.message == "Member b is not a member of group g."


def test_members_are_found_by_their_instance_id() -> None:
    """Mirrors testUpdatingMember for static members; None finds no member."""
    group = group_of(member("a", instance_id="i"))
    found = group.static_member("i")

    assert found is not None
    assert found.member_id == "a"
    assert group.static_member("j") is None
    assert group.static_member(None) is None


def test_an_instance_id_stays_when_its_former_member_is_removed() -> None:
    """Mirrors testRemoveMember: the records of both members may come in any order."""
    group = group_of(member("a", instance_id="i"), member("b", instance_id="i"))
    group.remove("a")
    assert group.static_members == {"i": "b"}

    group.remove("b")
    group.remove("b")
    assert group.static_members == {}


def test_a_partition_is_free_if_no_other_member_owns_it() -> None:
    """Mirrors testUpdatingMemberUpdatesPartitionEpoch: a pending revocation is owned."""
    group = group_of(member("a", assigned=owned(T, 0)), member("b", pending_revocation=owned(T, 1)))

    assert not group.is_free(T, 0, "b")
    assert not group.is_free(T, 1, "a")
    assert group.is_free(T, 0, "a")
    assert group.is_free(T, 2, "a")
    assert group.is_free(U, 0, "a")


# ------------------------------------------------------------------------------ subscriptions


def test_subscriptions_by_name_and_by_regular_expression() -> None:
    """An unresolved expression matches no topic."""
    group = group_of(member("a", "u", **REGEX), member("b", subscribed_topic_regex="v.*"))
    group.regexes["t.*"] = ResolvedRegex(frozenset({"t", "tt"}), 1, 1)

    assert group.subscribed_topics(group.member("a")) == frozenset({"u", "t", "tt"})
    assert group.all_subscribed_topics() == {"u", "t", "tt"}
    assert [group.is_subscribed_to(topic) for topic in ("u", "tt", "v")] == [True, True, False]
    assert group.subscribed_regexes() == {"t.*", "v.*"}
    assert [group.subscribers_of_regex(regex) for regex in ("t.*", "w.*")] == [1, 0]


@pytest.mark.parametrize(
    ("members", "same"),
    [
        ([member("a", "t")], True),
        ([member("a", "t", "u"), member("b", "u", "t")], True),
        ([member("a", "t"), member("b", "t", "u")], False),
        ([member("a", **REGEX), member("b", **REGEX)], True),
        ([member("a", **REGEX), member("b", subscribed_topic_regex="u")], False),
        ([member("a", **REGEX), member("b", "t")], False),
        ([member("a", "t", **REGEX), member("b", "t", **REGEX)], False),
    ],
)
def test_a_group_is_homogeneous_if_all_subscriptions_are_equal(
    members: list[ConsumerGroupMember], same: bool
) -> None:
    """Regular expressions with topic names are never equal."""
    assert group_of(*members).is_homogeneous is same


# ------------------------------------------------------------------------------------ offsets


def test_simple_consumers_commit_while_there_are_no_members() -> None:
    """Mirrors testValidateOffsetCommit."""
    assert commit_as(ConsumerGroup("g"), "", -1) is ErrorCode.NONE
    assert commit_as(ConsumerGroup("g"), "m", 5) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit_as(group_of(member("m", member_epoch=5)), "", -1) is ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("epoch", "error"),
    [(5, ErrorCode.NONE), (6, ErrorCode.STALE_MEMBER_EPOCH), (4, ErrorCode.STALE_MEMBER_EPOCH)],
)
def test_members_commit_with_their_epoch(epoch: int, error: ErrorCode) -> None:
    """With an older one only for partitions that they own since then."""
    assert commit_as(group_of(member("m", member_epoch=5)), epoch=epoch) is error


@pytest.mark.parametrize(
    ("since", "error"),
    [(3, ErrorCode.NONE), (4, ErrorCode.NONE), (5, ErrorCode.STALE_MEMBER_EPOCH)],
)
@pytest.mark.parametrize("where", ["assigned", "pending_revocation"])
def test_a_commit_with_an_older_epoch(since: int, error: ErrorCode, where: str) -> None:
    """KIP-1251: it is valid for partitions owned since that epoch or before."""
    each = member("m", member_epoch=5, **{where: owned(T, 0, since=since)})

    assert commit_as(group_of(each), epoch=4) is error


def test_a_commit_in_an_old_version_is_refused() -> None:
    """Mirrors testValidateOffsetCommit: version 9 is the first with member epochs."""
    group = group_of(member("m", member_epoch=5))

    assert commit_as(group, version=8) is ErrorCode.UNSUPPORTED_VERSION


@pytest.mark.parametrize(
    ("epoch", "error"),
    [(5, ErrorCode.NONE), (6, ErrorCode.ILLEGAL_GENERATION), (4, ErrorCode.ILLEGAL_GENERATION)],
)
def test_classic_members_commit_with_their_generation(epoch: int, error: ErrorCode) -> None:
    """Mirrors testValidateOffsetCommit with the classic protocol, in any version."""
    group = group_of(member("m", member_epoch=5, classic=classic("t")))

    assert commit_as(group, epoch=epoch, version=8) is error


def test_classic_members_commit_with_an_older_generation() -> None:
    """KIP-1251, too: for partitions owned since that generation or before."""
    group = group_of(
        member("m", member_epoch=5, classic=classic("t"), assigned=owned(T, 0, since=4))
    )

    assert commit_as(group, epoch=4, version=8) is ErrorCode.NONE
    assert commit_as(group, epoch=3, version=8) is ErrorCode.ILLEGAL_GENERATION


@pytest.mark.parametrize(
    ("member_id", "epoch", "error"),
    [
        ("", -1, ErrorCode.NONE),
        ("m", 5, ErrorCode.NONE),
        ("m", 4, ErrorCode.NONE),
        ("m", 3, ErrorCode.ILLEGAL_GENERATION),
        ("m", 6, ErrorCode.ILLEGAL_GENERATION),
        ("m", -1, ErrorCode.ILLEGAL_GENERATION),
        ("x", 5, ErrorCode.UNKNOWN_MEMBER_ID),
        ("", 5, ErrorCode.UNKNOWN_MEMBER_ID),
        ("", -2, ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
@pytest.mark.parametrize("protocol", [{}, {"classic": classic("t")}], ids=["consumer", "classic"])
def test_a_transactional_commit(
    member_id: str, epoch: int, error: ErrorCode, protocol: dict[str, Any]
) -> None:
    """In any version; it may name no member, and has the errors of classic groups."""
    each = member("m", member_epoch=5, assigned=owned(T, 0, since=4), **protocol)
    result = commit_as(group_of(each), member_id, epoch, version=2, is_transactional=True)

    assert result is error


def test_a_transactional_commit_of_an_instance_must_name_its_member() -> None:
    """The instance id itself is not checked."""
    group = group_of(member("m", member_epoch=5, instance_id="i"))

    def error(member_id: str, epoch: int) -> ErrorCode:
        return commit_as(group, member_id, epoch, instance_id="i", is_transactional=True)

    assert error("", -1) is ErrorCode.UNKNOWN_MEMBER_ID
    assert error("m", 5) is ErrorCode.NONE


def test_a_transactional_commit_to_a_group_without_members() -> None:
    """Any without an epoch; a member is unknown."""
    empty = ConsumerGroup("g")

    assert commit_as(empty, "m", -1, is_transactional=True) is ErrorCode.NONE
    assert commit_as(empty, "m", 1, is_transactional=True) is ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("member_id", "epoch", "error"),
    [
        (None, -1, None),
        ("m", 5, None),
        ("m", 4, ErrorCode.STALE_MEMBER_EPOCH),
        ("classic", 4, ErrorCode.ILLEGAL_GENERATION),
        ("x", 5, ErrorCode.UNKNOWN_MEMBER_ID),
        (None, 5, ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_members_and_other_clients_may_fetch_offsets(
    member_id: str | None, epoch: int, error: ErrorCode | None
) -> None:
    """Mirrors testValidateOffsetFetch: members must send their present epoch."""
    group = group_of(
        member("m", member_epoch=5), member("classic", member_epoch=5, classic=classic("t"))
    )
    refused = None
    try:
        group.check_offset_fetch(member_id, epoch)
    except ApiError as refusal:
        refused = refusal.code

    assert refused is error


def test_the_retention_begins_with_the_commit() -> None:
    """Mirrors testOffsetExpirationCondition."""
    offset = OffsetAndMetadata(5, commit_timestamp_ms=1000)

    assert group_of(member("m", "t")).retention_base_ms(offset) == 1000


# ----------------------------------------------------------------------------------- deletion


def test_only_an_empty_group_can_be_deleted() -> None:
    """Mirrors testValidateDeleteGroup; single offsets can be deleted at any time."""
    ConsumerGroup("g").check_deletion()
    group = group_of(member("m", "t"))
    group.check_offset_deletion()

    with pytest.raises(ApiError) as refused:
        group.check_deletion()
    assert refused.value.code is ErrorCode.NON_EMPTY_GROUP


def test_its_tombstones_delete_the_group() -> None:
    """When they are replayed."""
    group = group_of(member("a", "t"), member("b", **REGEX))
    group.target = {"a": {T: frozenset({0})}, "gone": {}}
    group.regexes["t.*"] = ResolvedRegex(frozenset(), 1, 1)
    states = GroupStates()
    states.put(group)
    for record in group.tombstones():
        assert record.value is None
        states.replay(record, 0)

    assert states.groups == {}
    assert (group.members, group.target, group.regexes) == ({}, {}, {})

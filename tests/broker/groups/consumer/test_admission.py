"""Who may speak for a member (mirrors the fencing tests of ``GroupMetadataManagerTest``)."""

from __future__ import annotations

from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.groups.consumer.admission import admit, check_size
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from protocol.errors import ErrorCode
from tests.broker.groups.consumer.books import T, U, classic, group_of, member, owned


def heartbeat(member_id: str = "a", epoch: int = 5, **fields: Any) -> ConsumerGroupHeartbeat:
    return ConsumerGroupHeartbeat(group_id="g", member_id=member_id, member_epoch=epoch, **fields)


def refusal(group: ConsumerGroup, request: ConsumerGroupHeartbeat) -> ErrorCode:
    """Why a heartbeat is turned away."""
    with pytest.raises(ApiError) as refused:
        admit(GroupDraft(group), request)
    return refused.value.code


A = member("a", "t", member_epoch=5, previous_member_epoch=4, assigned=owned(T, 0, 1))
STATIC = member("a", "t", instance_id="i", member_epoch=5, assigned=owned(T, 0))


def test_a_known_member_in_its_epoch() -> None:
    """It is as it was."""
    assert admit(GroupDraft(group_of(A)), heartbeat()) is A


def test_a_newcomer_begins_with_nothing() -> None:
    """Nothing is written down of it yet."""
    draft = GroupDraft(group_of(A))
    newcomer = admit(draft, heartbeat("b", 0))

    assert (newcomer.member_id, newcomer.member_epoch, newcomer.assigned) == ("b", 0, {})
    assert draft.records == []


def test_who_joins_again_is_who_it_was() -> None:
    """It has lost track, its part is still its own."""
    assert admit(GroupDraft(group_of(A)), heartbeat("a", 0)) is A


def test_an_unknown_member() -> None:
    """Mirrors testUnknownMemberIdJoinsConsumerGroup: only who joins may be unknown."""
    assert refusal(group_of(A), heartbeat("b")) is ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("epoch", [6, 3])
def test_an_epoch_that_is_not_the_member_s(epoch: int) -> None:
    """Mirrors testConsumerGroupMemberEpochValidation: too far ahead, or too far behind."""
    assert refusal(group_of(A), heartbeat(epoch=epoch)) is ErrorCode.FENCED_MEMBER_EPOCH


@pytest.mark.parametrize(
    ("owned_now", "passes"),
    [({T: [0]}, True), ({T: [0, 1]}, True), ({}, True), ({T: [2]}, False), ({U: [0]}, False)],
)
def test_the_epoch_before_if_the_last_answer_was_lost(
    owned_now: dict[Any, list[int]], passes: bool
) -> None:
    """Then it cannot have more than it was told to."""
    request = heartbeat(epoch=4, owned=owned_now)

    if passes:
        assert admit(GroupDraft(group_of(A)), request) is A
    else:
        assert refusal(group_of(A), request) is ErrorCode.FENCED_MEMBER_EPOCH


def test_the_epoch_before_without_a_word_of_what_it_has() -> None:
    """Nobody knows then what it read."""
    assert refusal(group_of(A), heartbeat(epoch=4)) is ErrorCode.FENCED_MEMBER_EPOCH


# ------------------------------------------------------------------------------ static members


def test_an_instance_in_use_is_not_given_away() -> None:
    """Its owner has to go first, be it for a while."""
    request = heartbeat("b", 0, instance_id="i")

    assert refusal(group_of(STATIC), request) is ErrorCode.UNRELEASED_INSTANCE_ID


@pytest.mark.parametrize(
    "present",
    [
        {"member_epoch": -2},
        {"classic": classic("t")},
    ],
    ids=["went for a while", "speaks the classic protocol"],
)
def test_an_instance_that_comes_back_takes_over(present: dict[str, Any]) -> None:
    """Mirrors testStaticMemberGetsBackAssignmentUponRejoin: its part and its target are its own."""
    former = member("a", "t", instance_id="i", assigned=owned(T, 0), **present)
    group = group_of(former)
    group.target["a"] = {T: frozenset({0})}
    draft = GroupDraft(group)
    back = admit(draft, heartbeat("b", 0, instance_id="i"))

    assert (back.member_id, back.member_epoch, back.assigned) == ("b", 0, owned(T, 0))
    assert list(draft.group.members) == ["b"]
    assert draft.group.static_members == {"i": "b"}
    assert draft.group.target == {"b": {T: frozenset({0})}}


def test_a_new_instance_is_a_newcomer() -> None:
    """It is written down as what it is later."""
    draft = GroupDraft(group_of(A))

    assert admit(draft, heartbeat("b", 0, instance_id="j")).assigned == {}
    assert draft.records == []


@pytest.mark.parametrize(
    ("member_id", "instance_id", "error"),
    [
        ("b", "i", ErrorCode.FENCED_INSTANCE_ID),
        ("a", "j", ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_a_heartbeat_in_another_s_name(member_id: str, instance_id: str, error: ErrorCode) -> None:
    """Its instance has another member id now."""
    request = heartbeat(member_id, instance_id=instance_id)

    assert refusal(group_of(STATIC), request) is error


def test_the_epoch_of_a_static_member_counts_too() -> None:
    """Being the right instance is not enough."""
    request = heartbeat("a", 9, instance_id="i")

    assert refusal(group_of(STATIC), request) is ErrorCode.FENCED_MEMBER_EPOCH


# ---------------------------------------------------------------------------------------- size


def test_a_full_group_takes_no_more() -> None:
    """Who is in stays in."""
    group = group_of(A)
    check_size(group, "a", 1)
    check_size(group, "b", 2)

    with pytest.raises(ApiError) as refused:
        check_size(group, "b", 1)
    assert refused.value.code is ErrorCode.GROUP_MAX_SIZE_REACHED

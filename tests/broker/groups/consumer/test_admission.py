"""The member of a heartbeat (mirrors the fencing tests of ``GroupMetadataManagerTest``)."""

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
    """The error of a heartbeat."""
    with pytest.raises(ApiError) as refused:
        admit(GroupDraft(group), request)
    return refused.value.code


A = member("a", "t", member_epoch=5, previous_member_epoch=4, assigned=owned(T, 0, 1))
STATIC = member("a", "t", instance_id="i", member_epoch=5, assigned=owned(T, 0))


def test_a_known_member_in_its_epoch() -> None:
    """It is returned unchanged."""
    assert admit(GroupDraft(group_of(A)), heartbeat()) is A


def test_a_new_member_has_no_assignment() -> None:
    """No record is written for it yet."""
    draft = GroupDraft(group_of(A))
    newcomer = admit(draft, heartbeat("b", 0))

    assert (newcomer.member_id, newcomer.member_epoch, newcomer.assigned) == ("b", 0, {})
    assert draft.records == []


def test_a_member_that_joins_again_keeps_its_assignment() -> None:
    """Its client may have lost its state."""
    assert admit(GroupDraft(group_of(A)), heartbeat("a", 0)) is A


def test_an_unknown_member_is_refused() -> None:
    """Mirrors testUnknownMemberIdJoinsConsumerGroup, unless it joins."""
    assert refusal(group_of(A), heartbeat("b")) is ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("epoch", [6, 3])
def test_a_wrong_epoch_is_fenced(epoch: int) -> None:
    """Mirrors testConsumerGroupMemberEpochValidation: a greater or a much smaller one."""
    assert refusal(group_of(A), heartbeat(epoch=epoch)) is ErrorCode.FENCED_MEMBER_EPOCH


@pytest.mark.parametrize(
    ("owned_now", "passes"),
    [({T: [0]}, True), ({T: [0, 1]}, True), ({}, True), ({T: [2]}, False), ({U: [0]}, False)],
)
def test_the_previous_epoch_is_valid_if_the_response_was_lost(
    owned_now: dict[Any, list[int]], passes: bool
) -> None:
    """Then the member owns no more partitions than it is assigned."""
    request = heartbeat(epoch=4, owned=owned_now)

    if passes:
        assert admit(GroupDraft(group_of(A)), request) is A
    else:
        assert refusal(group_of(A), request) is ErrorCode.FENCED_MEMBER_EPOCH


def test_the_previous_epoch_without_owned_partitions_is_fenced() -> None:
    """It is unknown what the member reads."""
    assert refusal(group_of(A), heartbeat(epoch=4)) is ErrorCode.FENCED_MEMBER_EPOCH


# ------------------------------------------------------------------------------ static members


def test_an_instance_id_in_use_is_refused() -> None:
    """Its member must leave first, possibly temporarily."""
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
def test_a_returning_static_member_keeps_its_assignment(present: dict[str, Any]) -> None:
    """Mirrors testStaticMemberGetsBackAssignmentUponRejoin: current and target assignment."""
    former = member("a", "t", instance_id="i", assigned=owned(T, 0), **present)
    group = group_of(former)
    group.target["a"] = {T: frozenset({0})}
    draft = GroupDraft(group)
    back = admit(draft, heartbeat("b", 0, instance_id="i"))

    assert (back.member_id, back.member_epoch, back.assigned) == ("b", 0, owned(T, 0))
    assert list(draft.group.members) == ["b"]
    assert draft.group.static_members == {"i": "b"}
    assert draft.group.target == {"b": {T: frozenset({0})}}


def test_a_new_static_member_has_no_assignment() -> None:
    """Its record is written later."""
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
def test_a_heartbeat_with_a_former_member_id_is_fenced(
    member_id: str, instance_id: str, error: ErrorCode
) -> None:
    """The instance id has another member id now."""
    request = heartbeat(member_id, instance_id=instance_id)

    assert refusal(group_of(STATIC), request) is error


def test_the_epoch_of_a_static_member_is_checked() -> None:
    """In addition to the instance id."""
    request = heartbeat("a", 9, instance_id="i")

    assert refusal(group_of(STATIC), request) is ErrorCode.FENCED_MEMBER_EPOCH


# ---------------------------------------------------------------------------------------- size


def test_a_full_group_refuses_new_members() -> None:
    """Present members are not refused."""
    group = group_of(A)
    check_size(group, "a", 1)
    check_size(group, "b", 2)

    with pytest.raises(ApiError) as refused:
        check_size(group, "b", 1)
    assert refused.value.code is ErrorCode.GROUP_MAX_SIZE_REACHED

"""Reconciliation of a member (mirrors ``CurrentAssignmentBuilderTest``)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.common.errors import ApiError
from broker.groups.consumer.current_assignment import CurrentAssignmentBuilder, Owned
from broker.groups.consumer.member import ConsumerGroupMember, MemberState, Partitions
from protocol.errors import ErrorCode
from tests.broker.groups.consumer.books import T, U, member, owned

STABLE = MemberState.STABLE
UNREVOKED = MemberState.UNREVOKED_PARTITIONS
UNRELEASED = MemberState.UNRELEASED_PARTITIONS


def step(
    before: ConsumerGroupMember,
    target: Partitions,
    *,
    epoch: int = 11,
    says: Owned = None,
    taken: set[tuple[UUID, int]] = frozenset(),  # type: ignore[assignment]  # an empty one
    subscribed: frozenset[UUID] = frozenset({T, U}),
    changed: bool = False,
) -> ConsumerGroupMember:
    """The member after a heartbeat with *owned*, while other members own *taken*."""

    def owners_of(topic_id: UUID) -> dict[int, str]:
        return {index: "another" for topic, index in taken if topic == topic_id}

    return CurrentAssignmentBuilder(
        target_epoch=epoch,
        target=target,
        owned=says,
        subscribed=subscribed,
        has_subscription_changed=changed,
        owners_of=owners_of,
    ).build(before)


def at(epoch: int = 10, *, state: MemberState = STABLE, **fields: Any) -> ConsumerGroupMember:
    """A member in an epoch, with partitions 1, 2 and 3 of t by default."""
    fields.setdefault("assigned", owned(T, 1, 2, 3, since=10))
    return member("m", member_epoch=epoch, previous_member_epoch=epoch, state=state, **fields)


# ------------------------------------------------------------------------------- from stable


def test_nothing_changes_in_the_same_epoch() -> None:
    """Mirrors testStableToStable: the same object is returned."""
    before = at(11)

    assert step(before, {T: frozenset({1, 2, 3})}) is before


def test_the_same_target_in_a_new_epoch() -> None:
    """Kept partitions keep the epochs of their assignment."""
    after = step(at(10), {T: frozenset({1, 2, 3})})

    assert (after.member_epoch, after.previous_member_epoch, after.state) == (11, 10, STABLE)
    assert after.assigned == owned(T, 1, 2, 3, since=10)


def test_free_partitions_are_assigned() -> None:
    """With the epoch of the target."""
    after = step(at(10, assigned=owned(T, 1, since=10)), {T: frozenset({1, 2})})

    assert after.state is STABLE
    assert after.assigned == {T: {1: 10, 2: 11}}


def test_partitions_must_be_revoked_first() -> None:
    """The member stays in its epoch and gets no other partitions."""
    after = step(at(10), {T: frozenset({2, 3, 4})})

    assert (after.member_epoch, after.state) == (10, UNREVOKED)
    assert after.assigned == owned(T, 2, 3, since=10)
    assert after.pending_revocation == owned(T, 1, since=10)


def test_partitions_that_are_not_owned_need_not_be_revoked() -> None:
    """If the heartbeat that would cause the revocation lists the owned partitions."""
    after = step(at(10), {T: frozenset({2, 3, 4})}, says={T: [2, 3]})

    assert (after.member_epoch, after.state) == (11, STABLE)
    assert after.assigned == {T: {2: 10, 3: 10, 4: 11}}


def test_partitions_of_other_members_are_waited_for() -> None:
    """Free partitions are assigned without waiting for them."""
    after = step(at(10), {T: frozenset({1, 2, 3, 4, 5})}, taken={(T, 4)})

    assert (after.member_epoch, after.state) == (11, UNRELEASED)
    assert after.assigned == {T: {1: 10, 2: 10, 3: 10, 5: 11}}


# ---------------------------------------------------------------------------- from unrevoked


def revoking(epoch: int = 10) -> ConsumerGroupMember:
    """A member that keeps partitions 2 and 3 of t and has to revoke 1."""
    return at(
        epoch,
        state=UNREVOKED,
        assigned=owned(T, 2, 3, since=10),
        pending_revocation=owned(T, 1, since=10),
    )


@pytest.mark.parametrize("says", [None, {T: [1, 2, 3]}, {T: [1]}])
def test_a_member_that_has_not_revoked_is_unchanged(says: Owned) -> None:
    """Without a list of owned partitions it may still own them."""
    before = revoking()

    assert step(before, {T: frozenset({2, 3, 4})}, says=says) is before


def test_a_member_that_has_revoked_moves_to_the_target_epoch() -> None:
    """With all free partitions of its target."""
    after = step(revoking(), {T: frozenset({2, 3, 4})}, says={T: [2, 3]})

    assert (after.member_epoch, after.previous_member_epoch, after.state) == (11, 10, STABLE)
    assert (after.assigned, after.pending_revocation) == ({T: {2: 10, 3: 10, 4: 11}}, {})


def test_a_newer_target_may_require_another_revocation() -> None:
    """Mirrors testRemainsInUnrevokedPartitions: the member stays in its epoch."""
    after = step(revoking(), {T: frozenset({3})}, epoch=12, says={T: [2, 3]})

    assert (after.member_epoch, after.state) == (10, UNREVOKED)
    assert after.assigned == owned(T, 3, since=10)
    assert after.pending_revocation == owned(T, 2, since=10)


def test_a_member_that_has_revoked_may_wait_for_others() -> None:
    """In the epoch of the target, with the partitions that it keeps."""
    after = step(revoking(), {T: frozenset({2, 3, 4})}, says={T: [2, 3]}, taken={(T, 4)})

    assert (after.member_epoch, after.state) == (11, UNRELEASED)
    assert after.assigned == owned(T, 2, 3, since=10)


# --------------------------------------------------------------------------- from unreleased


def test_a_member_gets_the_partitions_that_others_release() -> None:
    """It has the epoch of the target already."""
    before = at(11, state=UNRELEASED)
    assert step(before, {T: frozenset({1, 2, 3, 4})}, taken={(T, 4)}) == before

    after = step(before, {T: frozenset({1, 2, 3, 4})})

    assert (after.member_epoch, after.state) == (11, STABLE)
    assert after.assigned == {T: {1: 10, 2: 10, 3: 10, 4: 11}}


def test_released_partitions_are_assigned_one_by_one() -> None:
    """It continues to wait for the others."""
    before = at(11, state=UNRELEASED)
    after = step(before, {T: frozenset({1, 2, 3, 4, 5})}, taken={(T, 4)})

    assert after.state is UNRELEASED
    assert 5 in after.assigned[T]


def test_a_waiting_member_may_have_to_revoke() -> None:
    """If there is a newer target."""
    after = step(at(11, state=UNRELEASED), {T: frozenset({2, 3, 5})}, epoch=12)

    assert (after.member_epoch, after.state) == (11, UNREVOKED)
    assert after.pending_revocation == owned(T, 1, since=10)


# ------------------------------------------------------------------------------ other states


@pytest.mark.parametrize("says", [None, {T: [1]}])
def test_a_member_in_an_unknown_state_has_to_join_again(says: Owned) -> None:
    """Mirrors testUnknownState: it is fenced until it owns no partitions."""
    with pytest.raises(ApiError) as refused:
        step(at(10, state=MemberState.UNKNOWN), {T: frozenset({1})}, says=says)

    assert refused.value.code is ErrorCode.FENCED_MEMBER_EPOCH


def test_a_member_in_an_unknown_state_that_has_nothing() -> None:
    """It gets the target in one step."""
    after = step(at(10, state=MemberState.UNKNOWN), {T: frozenset({1, 4})}, says={})

    assert (after.member_epoch, after.state) == (11, STABLE)
    assert after.assigned == {T: {1: 10, 4: 11}}


# ------------------------------------------------------------------------------ subscriptions


def test_an_unsubscribed_topic_is_revoked() -> None:
    """Before there is a new target."""
    before = at(11, assigned=owned(T, 1) | owned(U, 1))
    after = step(
        before,
        {T: frozenset({1}), U: frozenset({1})},
        subscribed=frozenset({T}),
        changed=True,
    )

    assert (after.member_epoch, after.state) == (11, UNREVOKED)
    assert (after.assigned, after.pending_revocation) == (owned(T, 1), owned(U, 1))


def test_an_unsubscribed_topic_that_is_not_owned_is_removed() -> None:
    """Clients stop reading it before the heartbeat, so there is nothing to wait for."""
    before = at(11, assigned=owned(T, 1) | owned(U, 1))
    after = step(
        before, {T: frozenset({1})}, says={T: [1]}, subscribed=frozenset({T}), changed=True
    )

    assert (after.state, after.assigned, after.pending_revocation) == (STABLE, owned(T, 1), {})


def test_an_unsubscribed_topic_is_not_assigned() -> None:
    """Although the target contains it."""
    after = step(
        at(10, assigned={}),
        {T: frozenset({1}), U: frozenset({1})},
        subscribed=frozenset({T}),
        changed=True,
    )

    assert (after.state, after.assigned) == (STABLE, {T: {1: 11}})


def test_an_unsubscribed_topic_joins_a_pending_revocation() -> None:
    """The pending partitions stay pending."""
    before = at(
        10,
        state=UNREVOKED,
        assigned=owned(T, 2) | owned(U, 1),
        pending_revocation=owned(T, 1) | owned(U, 0),
    )
    after = step(
        before,
        {T: frozenset({2})},
        says={T: [1, 2], U: [0, 1]},
        subscribed=frozenset({T}),
        changed=True,
    )

    assert after.state is UNREVOKED
    assert after.assigned == owned(T, 2)
    assert after.pending_revocation == owned(T, 1) | owned(U, 0, 1)


# --------------------------------------------------------------------------------- for all


PARTITIONS = st.frozensets(st.integers(0, 5))


@given(st.lists(PARTITIONS, min_size=2, max_size=4), st.data())
def test_partitions_have_one_owner_and_all_members_reach_the_target(
    targets: list[frozenset[int]], data: st.DataObject
) -> None:
    """With any targets and any order of heartbeats."""
    names = ("a", "b", "c")
    books = {name: member(name, assigned={}) for name in names}
    for epoch, cut in enumerate(targets, 1):
        goal = {
            "a": {T: cut},
            "b": {T: frozenset(range(6)) - cut},
            "c": {},
        }
        order = data.draw(st.permutations(names))
        for name in (*order, *names, *names, *names):
            before = books[name]
            others = {
                (T, index)
                for other in names
                if other != name
                for index in range(6)
                if books[other].owns(T, index)
            }
            said: Owned = {topic: list(parts) for topic, parts in before.assigned.items()}
            books[name] = step(before, goal[name], epoch=epoch, says=said, taken=others)
            owners = [sum(each.owns(T, index) for each in books.values()) for index in range(6)]
            assert max(owners) <= 1
        for name in names:
            assert books[name].is_reconciled_to(epoch)
            assert books[name].assigned.get(T, {}).keys() == goal[name].get(T, frozenset())


def test_an_added_topic_revokes_nothing() -> None:
    """It is assigned with the next target."""
    before = at(11)

    assert step(before, {T: frozenset({1, 2, 3})}, changed=True) is before

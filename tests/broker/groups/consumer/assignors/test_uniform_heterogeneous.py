"""Different subscriptions (mirrors ``UniformHeterogeneousAssignmentBuilderTest``)."""

from __future__ import annotations

from itertools import product

from hypothesis import given

from broker.groups.consumer.assignors.spec import Assignment, GroupSpec
from broker.groups.consumer.assignors.uniform_heterogeneous import assign
from tests.broker.groups.consumer.assignors.specs import (
    after,
    assert_complete,
    by_name,
    loads,
    moved,
    spec_of,
    specs,
)


def improvements(spec: GroupSpec, assignment: Assignment) -> list[tuple[str, str]]:
    """Pairs of members for which a move from the first to the second improves the balance."""
    total = dict(zip(assignment, loads(assignment), strict=True))
    return [
        (giver, taker)
        for giver, taker in product(assignment, assignment)
        if total[giver] - total[taker] > 1
        and spec.members[taker].topics & {t for t, parts in assignment[giver].items() if parts}
    ]


def test_members_without_topics_get_nothing() -> None:
    """Mirrors testTwoMembersNoTopicSubscription."""
    assert by_name(assign(spec_of({}, {"a": "", "b": ""}))) == {"a": {}, "b": {}}


def test_a_topic_with_one_subscriber_is_assigned_to_it() -> None:
    """The other members get more of the shared topics."""
    assigned = by_name(assign(spec_of({"t": 4, "u": 2}, {"a": "tu", "b": "u"})))

    assert assigned == {"a": {"t": {0, 1, 2, 3}}, "b": {"u": {0, 1}}}


def test_a_first_assignment() -> None:
    """Mirrors testFirstAssignmentThreeMembersThreeTopicsDifferentSubscriptions...."""
    spec = spec_of({"t": 3, "u": 3, "v": 3}, {"a": "tu", "b": "uv", "c": "tv"})
    assigned = assign(spec)

    assert_complete(spec, assigned)
    assert loads(assigned) == [3, 3, 3]


def test_a_new_member_gets_partitions_of_the_most_loaded() -> None:
    """Mirrors testReassignmentWhenOneMemberAddedAfterInitialAssignment."""
    held = {"a": {"t": {0, 1, 2}}, "b": {"u": {0}}}
    spec = spec_of({"t": 3, "u": 1}, {"a": "t", "b": "u", "c": "tu"}, held)
    assigned = assign(spec)

    assert sorted(loads(assigned)) == [1, 1, 2]
    assert moved(spec, assigned) == 1


def test_the_partitions_of_a_leaving_member_go_to_the_subscribers() -> None:
    """Mirrors testReassignmentWhenOneMemberRemovedAfterInitialAssignment...."""
    held = {"a": {"t": {0}}, "b": {"u": {0}}}
    spec = spec_of({"t": 1, "u": 3}, {"a": "tu", "b": "u"}, held)
    assigned = assign(spec)

    assert loads(assigned) == [2, 2]
    assert moved(spec, assigned) == 0


def test_the_partitions_of_an_unsubscribed_topic_move() -> None:
    """Mirrors testReassignmentWhenOneSubscriptionRemovedAfterInitialAssignment...."""
    held = {"a": {"t": {0}, "u": {0, 1}}, "b": {"u": {2}}}
    spec = spec_of({"t": 1, "u": 3}, {"a": "t", "b": "u"}, held)

    assert by_name(assign(spec)) == {"a": {"t": {0}}, "b": {"u": {0, 1, 2}}}


def test_partitions_that_do_not_exist_are_dropped() -> None:
    """A topic may have been created again with fewer partitions."""
    held = {"a": {"t": {0, 7}}}
    spec = spec_of({"t": 1, "u": 1}, {"a": "t", "b": "u"}, held)

    assert by_name(assign(spec)) == {"a": {"t": {0}}, "b": {"u": {0}}}


@given(specs())
def test_every_partition_has_one_owner_that_subscribes_to_it(spec: GroupSpec) -> None:
    """For any previous target."""
    assert_complete(spec, assign(spec))


@given(specs())
def test_no_single_move_improves_the_balance(spec: GroupSpec) -> None:
    """The result need not be optimal."""
    assert improvements(spec, assign(spec)) == []


@given(specs())
def test_assigning_again_changes_nothing(spec: GroupSpec) -> None:
    """A balanced assignment is kept."""
    assigned = assign(spec)

    assert moved(after(spec, assigned), assign(after(spec, assigned))) == 0

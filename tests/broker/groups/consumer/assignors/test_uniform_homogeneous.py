"""Equal subscriptions (mirrors ``UniformHomogeneousAssignmentBuilderTest``)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.groups.consumer.assignors.spec import GroupSpec
from broker.groups.consumer.assignors.uniform_homogeneous import assign
from tests.broker.groups.consumer.assignors.specs import (
    after,
    assert_complete,
    by_name,
    loads,
    moved,
    spec_of,
    specs,
)


def test_a_member_without_topics() -> None:
    """Mirrors testOneMemberNoTopicSubscription."""
    assert by_name(assign(spec_of({}, {"a": "", "b": ""}))) == {"a": {}, "b": {}}


def test_a_first_assignment() -> None:
    """The last members get the remainder."""
    assigned = assign(spec_of({"t": 3, "v": 2}, {"a": "tv", "b": "tv"}))

    assert sorted(loads(assigned)) == [2, 3]
    assert loads(assigned)[-1] == 3


def test_more_members_than_partitions() -> None:
    """Mirrors testFirstAssignmentNumMembersGreaterThanTotalNumPartitions."""
    assigned = assign(spec_of({"t": 2}, {"a": "t", "b": "t", "c": "t"}))

    assert sorted(loads(assigned)) == [0, 1, 1]


def test_a_new_member_gets_its_quota() -> None:
    """Mirrors testReassignmentWhenOneMemberAddedAfterInitialAssignment: others keep theirs."""
    held = {"a": {"t": {0, 2}, "u": {0}}, "b": {"t": {1}, "u": {1, 2}}}
    spec = spec_of({"t": 3, "u": 3}, {"a": "tu", "b": "tu", "c": "tu"}, held)
    assigned = assign(spec)

    assert loads(assigned) == [2, 2, 2]
    assert moved(spec, assigned) == 2


def test_the_partitions_of_a_leaving_member_are_distributed() -> None:
    """Mirrors testReassignmentWhenOneMemberRemovedAfterInitialAssignment: others do not move."""
    held = {"a": {"t": {0}}, "b": {"t": {1}}}
    spec = spec_of({"t": 4}, {"a": "t", "b": "t"}, held)
    assigned = assign(spec)

    assert loads(assigned) == [2, 2]
    assert moved(spec, assigned) == 0


def test_new_partitions_are_assigned_to_the_least_loaded() -> None:
    """Mirrors testReassignmentWhenPartitionsAreAddedForTwoMembersTwoTopics."""
    held = {"a": {"t": {0, 1}}, "b": {"t": {2}}}
    spec = spec_of({"t": 5}, {"a": "t", "b": "t"}, held)

    assert by_name(assign(spec)) == {"a": {"t": {0, 1}}, "b": {"t": {2, 3, 4}}}


def test_an_unsubscribed_topic_is_not_assigned() -> None:
    """Mirrors testReassignmentWhenOneSubscriptionRemovedAfterInitialAssignment...."""
    held = {"a": {"t": {0}, "u": {0, 1}}, "b": {"t": {1}}}
    assigned = assign(spec_of({"t": 2}, {"a": "t", "b": "t"}, held))

    assert by_name(assigned) == {"a": {"t": {0}}, "b": {"t": {1}}}


@given(specs(homogeneous=True))
def test_every_partition_has_one_owner_that_subscribes_to_it(spec: GroupSpec) -> None:
    """For any previous target."""
    assert_complete(spec, assign(spec))


@given(specs(homogeneous=True))
def test_loads_differ_by_one_at_most(spec: GroupSpec) -> None:
    """Over all topics."""
    assigned = loads(assign(spec))

    assert max(assigned) - min(assigned) <= 1


@given(specs(homogeneous=True))
def test_the_number_of_moves_is_minimal(spec: GroupSpec) -> None:
    """Each member keeps the partitions within its quota."""
    topics = next(iter(spec.members.values())).topics
    total = sum(spec.partition_counts[topic] for topic in topics)
    quota, extras = divmod(total, len(spec.members))
    had = [
        sum(len(parts) for topic, parts in member.assigned.items() if topic in topics)
        for member in spec.members.values()
    ]
    excess = sum(max(0, count - quota) for count in had)
    may_keep_one_more = min(extras, sum(count > quota for count in had))
    unwanted = sum(
        len(parts)
        for member in spec.members.values()
        for topic, parts in member.assigned.items()
        if topic not in topics
    )

    assert moved(spec, assign(spec)) == excess - may_keep_one_more + unwanted


@given(specs(homogeneous=True))
def test_assigning_again_changes_nothing(spec: GroupSpec) -> None:
    """A balanced assignment is kept."""
    assigned = assign(spec)

    assert assign(after(spec, assigned)) == assigned


@given(specs(homogeneous=True), st.randoms())
def test_members_keep_their_partitions_when_another_leaves(spec: GroupSpec, random: object) -> None:
    """They only get more."""
    first = after(spec, assign(spec))
    leaver = random.choice(list(first.members))  # type: ignore[attr-defined]  # a Random
    members = {name: member for name, member in first.members.items() if name != leaver}
    if not members:
        return
    left = GroupSpec(members=members, partition_counts=first.partition_counts, is_homogeneous=True)

    assert moved(left, assign(left)) == 0

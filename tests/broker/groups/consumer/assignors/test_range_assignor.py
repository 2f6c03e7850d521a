"""Range assignor (mirrors ``RangeAssignorTest``)."""

from __future__ import annotations

from hypothesis import given

from broker.groups.consumer.assignors.range_assignor import assign
from broker.groups.consumer.assignors.spec import GroupSpec
from tests.broker.groups.consumer.assignors.specs import (
    after,
    assert_complete,
    by_name,
    spec_of,
    specs,
)


def test_members_without_topics() -> None:
    """Mirrors testOneMemberNoTopicSubscription."""
    assert by_name(assign(spec_of({"t": 3}, {"a": ""}))) == {"a": {}}


def test_the_first_members_get_the_remainder() -> None:
    """Mirrors testFirstAssignmentTwoMembersTwoTopicsSameSubscriptions: for each topic."""
    assigned = assign(spec_of({"t": 3, "v": 2}, {"a": "tv", "b": "tv"}))

    assert by_name(assigned) == {"a": {"t": {0, 1}, "v": {0}}, "b": {"t": {2}, "v": {1}}}


def test_members_with_different_topics() -> None:
    """Mirrors testFirstAssignmentThreeMembersThreeTopicsDifferentSubscriptions."""
    assigned = assign(spec_of({"t": 3, "u": 3, "v": 2}, {"a": "tu", "b": "v", "c": "uv"}))

    assert by_name(assigned) == {
        "a": {"t": {0, 1, 2}, "u": {0, 1}},
        "b": {"v": {0}},
        "c": {"u": {2}, "v": {1}},
    }


def test_more_members_than_partitions() -> None:
    """Mirrors testFirstAssignmentNumMembersGreaterThanNumPartitions: the last have nothing."""
    assigned = assign(spec_of({"t": 2}, {"c": "t", "b": "t", "a": "t"}))

    assert by_name(assigned) == {"a": {"t": {0}}, "b": {"t": {1}}, "c": {}}


def test_static_members_come_first_by_their_instance() -> None:
    """A new member id under the same instance changes nothing."""
    partitions, topics = {"t": 3}, {"a": "t", "y": "t", "z": "t"}
    before = assign(spec_of(partitions, topics, instances={"z": "i1", "y": "i2"}))
    again = assign(
        spec_of(partitions, {"a": "t", "b": "t", "y": "t"}, instances={"b": "i1", "y": "i2"})
    )

    assert by_name(before) == {"z": {"t": {0}}, "y": {"t": {1}}, "a": {"t": {2}}}
    assert by_name(again) == {"b": {"t": {0}}, "y": {"t": {1}}, "a": {"t": {2}}}


def test_names_are_ordered_as_java_orders_them() -> None:
    """By UTF-16 units: characters beyond 16 bits precede the last ones within 16 bits."""
    beyond, within = "\N{GRINNING FACE}", "\ufb01"
    assigned = assign(spec_of({"t": 1}, {within: "t", beyond: "t"}))

    assert by_name(assigned) == {beyond: {"t": {0}}, within: {}}


@given(specs())
def test_every_partition_has_one_owner_that_subscribes_to_it(spec: GroupSpec) -> None:
    """For any previous target."""
    assert_complete(spec, assign(spec))


@given(specs())
def test_ranges_are_contiguous_and_differ_by_one_at_most(spec: GroupSpec) -> None:
    """For each topic."""
    assigned = assign(spec)
    for topic in spec.partition_counts:
        readers = [name for name, member in spec.members.items() if topic in member.topics]
        ranges = [sorted(assigned[name].get(topic, ())) for name in readers]
        sizes = [len(each) for each in ranges] or [0]
        assert max(sizes) - min(sizes) <= 1
        for each in filter(None, ranges):
            assert each == list(range(each[0], each[-1] + 1))


@given(specs(homogeneous=True))
def test_topics_with_the_same_partition_count_have_the_same_ranges(spec: GroupSpec) -> None:
    """If they have the same subscribers (co-partitioning)."""
    assigned = assign(spec)
    for one, count in spec.partition_counts.items():
        for other, other_count in spec.partition_counts.items():
            if count == other_count:
                for name, member in spec.members.items():
                    if {one, other} <= member.topics:
                        assert assigned[name].get(one) == assigned[name].get(other)


@given(specs())
def test_assigning_again_changes_nothing(spec: GroupSpec) -> None:
    """The previous target is not used."""
    assigned = assign(spec)

    assert assign(after(spec, assigned)) == assigned

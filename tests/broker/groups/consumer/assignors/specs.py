"""Inputs of assignors, and the properties of all assignments."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from hypothesis import strategies as st

from broker.groups.consumer.assignors.spec import Assignment, GroupSpec, MemberSpec
from broker.groups.consumer.member import Partitions
from tests.broker.groups.consumer.books import T, U, V

TOPICS = {"t": T, "u": U, "v": V}
Held = Mapping[str, Mapping[str, set[int]]]


def spec_of(
    partitions: Mapping[str, int],
    members: Mapping[str, str],
    held: Held | None = None,
    instances: Mapping[str, str] | None = None,
) -> GroupSpec:
    """Members with their topics, a letter each, and their present targets."""
    return GroupSpec(
        members={
            name: MemberSpec(
                instance_id=(instances or {}).get(name),
                topics=frozenset(TOPICS[topic] for topic in topics),
                assigned=by_id((held or {}).get(name, {})),
            )
            for name, topics in members.items()
        },
        partition_counts={TOPICS[topic]: count for topic, count in partitions.items()},
        is_homogeneous=len({frozenset(topics) for topics in members.values()}) == 1,
    )


def by_id(parts: Mapping[str, set[int]]) -> Partitions:
    """Partitions by topic id."""
    return {TOPICS[topic]: frozenset(each) for topic, each in parts.items()}


def by_name(assignment: Assignment) -> dict[str, dict[str, set[int]]]:
    """A readable assignment; topics without partitions are left out."""
    names = {topic_id: name for name, topic_id in TOPICS.items()}
    return {
        member: {names[topic]: set(each) for topic, each in parts.items() if each}
        for member, parts in assignment.items()
    }


def loads(assignment: Assignment) -> list[int]:
    """The number of partitions of each member."""
    return [sum(map(len, parts.values())) for parts in assignment.values()]


def after(spec: GroupSpec, assignment: Assignment) -> GroupSpec:
    """The same group with *assignment* as its target."""
    members = {
        name: MemberSpec(
            instance_id=member.instance_id,
            topics=member.topics,
            assigned=assignment.get(name, {}),
        )
        for name, member in spec.members.items()
    }
    return GroupSpec(
        members=members,
        partition_counts=spec.partition_counts,
        is_homogeneous=spec.is_homogeneous,
    )


def moved(before: GroupSpec, assignment: Assignment) -> int:
    """The number of partitions that a member has lost."""
    return sum(
        len(parts - assignment[name].get(topic, frozenset()))
        for name, member in before.members.items()
        for topic, parts in member.assigned.items()
    )


def assert_complete(spec: GroupSpec, assignment: Assignment) -> None:
    """Assert that each partition of a subscribed topic has one owner, which subscribes to it."""
    assert assignment.keys() == spec.members.keys()
    owners: dict[tuple[UUID, int], str] = {}
    for name, parts in assignment.items():
        for topic, partitions in parts.items():
            assert topic in spec.members[name].topics
            for partition in partitions:
                assert (topic, partition) not in owners, "two owners"
                owners[topic, partition] = name
    wanted = frozenset[UUID]().union(*(member.topics for member in spec.members.values()))
    assert owners.keys() == {
        (topic, partition) for topic in wanted for partition in range(spec.partition_counts[topic])
    }


@st.composite
def specs(draw: st.DrawFn, *, homogeneous: bool = False) -> GroupSpec:
    """Groups of up to eight members with targets for up to three topics."""
    names = [f"m{number}" for number in range(draw(st.integers(1, 8)))]
    some = st.sampled_from(["", "t", "u", "tu", "tv", "tuv"])
    topics = dict.fromkeys(names, draw(some)) if homogeneous else {n: draw(some) for n in names}
    owners = {topic: draw(st.binary(max_size=9)) for topic in "tuv"}
    held: dict[str, dict[str, set[int]]] = {name: {} for name in [*names, "absent"]}
    for topic, of_topic in owners.items():
        for partition, number in enumerate(of_topic):
            owner = [*names, "absent"][number % (len(names) + 1)]
            held[owner].setdefault(topic, set()).add(partition)
    return spec_of({topic: len(each) for topic, each in owners.items()}, topics, held)

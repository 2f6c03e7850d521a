"""Waiting for the state of a group, and for the assignment of its partitions."""

from __future__ import annotations

from broker.admin.conditions.condition import Condition
from broker.admin.conditions.groups import Assigned, GroupStable
from tests.client_facts import group_member, known_group
from tests.facts import FakeFacts


def missing(condition: Condition, facts: FakeFacts) -> list[str]:
    """What is missing for a condition to hold."""
    return condition.check(facts)[1]


def assigned(members: int = 1, partitions: int = 1, topic: str | None = None) -> Assigned:
    """The condition that partitions are assigned to the members of the group g."""
    return Assigned(GroupStable("g", members), partitions, topic)


def test_a_group_is_stable_with_its_members() -> None:
    """Both the state and the number of members must match; all groups are reported."""
    facts = FakeFacts()
    two = group_member("a"), group_member("b")
    facts.known_groups = [known_group("g", "PreparingRebalance", *two)]
    condition = GroupStable("g", 2)

    assert missing(condition, facts) == ["group g is PreparingRebalance with 2 of 2 members"]
    assert missing(GroupStable("h", 1), facts) == ["there is no group h"]
    assert condition.alternatives(facts) == ["group g is PreparingRebalance"]
    facts.known_groups = [known_group("g", "Stable", *two)]
    assert condition.check(facts) == ({"group": facts.known_groups[0]}, [])
    assert missing(GroupStable("g", 3), facts) == ["group g is Stable with 2 of 3 members"]


def test_each_member_has_partitions() -> None:
    """At least as many as the condition requires; a rebalance is reported first."""
    facts = FakeFacts()
    facts.known_groups = [
        known_group("g", "Stable", group_member("a", orders=[0, 1]), group_member("b", orders=[2]))
    ]

    assert missing(assigned(members=2), facts) == []
    assert missing(assigned(partitions=2), facts) == [
        "group g: member b has 1 of 2 partitions",
    ]
    facts.known_groups[0]["state"] = "CompletingRebalance"
    assert missing(assigned(members=3, partitions=2), facts) == [
        "group g is CompletingRebalance with 2 of 3 members"
    ]
    assert assigned().alternatives(facts) == ["group g is CompletingRebalance"]


def test_a_member_without_partitions_may_be_expected() -> None:
    """With ``partitions=0``, when a group has more members than partitions."""
    facts = FakeFacts()
    facts.known_groups = [known_group("g", "Stable", group_member("a"))]

    assert missing(assigned(), facts) == ["group g: member a has 0 of 1 partitions"]
    assert missing(assigned(partitions=0), facts) == []


def test_each_partition_of_a_topic_is_assigned() -> None:
    """Only partitions of that topic count."""
    facts = FakeFacts()
    facts.known_groups = [known_group("g", "Stable", group_member("a", orders=[0], audit=[0, 1]))]

    assert missing(assigned(partitions=2, topic="orders"), facts) == [
        "group g: member a has 1 of 2 partitions of orders",
        "group g: orders-1 is assigned to no member",
    ]
    assert missing(assigned(topic="audit"), facts) == ["there is no topic audit"]
    facts.known_groups[0]["members"][0]["assignment"]["orders"] = [0, 1]
    assert missing(assigned(partitions=2, topic="orders"), facts) == []

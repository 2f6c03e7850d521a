"""Waiting for the state of a group."""

from __future__ import annotations

from broker.admin.conditions.condition import Condition
from broker.admin.conditions.groups import GroupStable
from tests.facts import FakeFacts


def missing(condition: Condition, facts: FakeFacts) -> list[str]:
    """What is missing for a condition to hold."""
    return condition.check(facts)[1]


def test_a_group_is_stable_with_its_members() -> None:
    """Both the state and the number of members must match; all groups are reported."""
    facts = FakeFacts()
    facts.known_groups = [{"group": "g", "state": "PreparingRebalance", "members": 2}]
    condition = GroupStable("g", 2)

    assert missing(condition, facts) == ["group g is PreparingRebalance with 2 of 2 members"]
    assert missing(GroupStable("h", 1), facts) == ["there is no group h"]
    assert condition.alternatives(facts) == ["group g is PreparingRebalance"]
    facts.known_groups = [{"group": "g", "state": "Stable", "members": 2}]
    assert condition.check(facts) == ({"group": facts.known_groups[0]}, [])
    assert missing(GroupStable("g", 3), facts) == ["group g is Stable with 2 of 3 members"]

"""Waiting for the committed offsets of a group."""

from __future__ import annotations

from broker.admin.conditions.committed import Committed
from tests.client_facts import committed_offset, group_member, known_group
from tests.facts import FakeFacts


def committed(
    topic: str | None = None,
    partition: int | None = None,
    *,
    offset: int | None = None,
    lag: int | None = None,
) -> Committed:
    """The condition for the group g."""
    return Committed("g", topic, partition, offset, lag)


def facts_with_offset() -> FakeFacts:
    """The group g has committed offset 1 of 3 in orders-0, and nothing in orders-1."""
    facts = FakeFacts()
    facts.known_groups = [known_group("g", "Stable")]
    facts.known_groups[0]["offsets"] = [committed_offset(0, 1, 3)]
    return facts


def test_the_lag_is_the_distance_to_the_log_end() -> None:
    """Of the partitions in which the group has committed; the response has the offsets."""
    facts = facts_with_offset()

    assert committed(lag=0).check(facts) == (
        {"offsets": [committed_offset(0, 1, 3)]},
        ["lag of g in orders-0 is 2: committed 1, log end 3"],
    )
    assert committed(lag=2).check(facts)[1] == []


def test_an_assigned_partition_needs_an_offset() -> None:
    """Without a committed offset its whole log is the lag; an empty log has none."""
    facts = facts_with_offset()
    facts.known_groups[0]["members"] = [group_member("a", orders=[1])]

    assert committed(lag=2).check(facts)[1] == [
        "lag of g in orders-1 is 3: committed nothing, log end 3"
    ]
    facts.topics["orders"][1]["log_start_offset"] = 3
    assert committed(lag=2).check(facts)[1] == []


def test_a_topic_selects_its_partitions() -> None:
    """All of them, or one."""
    facts = facts_with_offset()

    assert committed("orders", offset=1).check(facts)[1] == [
        "group g in orders-1: committed nothing, log end 3, needed offset 1"
    ]
    assert committed("orders", 0, offset=1).check(facts)[1] == []
    assert committed("orders", 0, offset=2).check(facts)[1] == [
        "group g in orders-0: committed 1, log end 3, needed offset 2"
    ]
    assert committed("orders", 7, offset=1).check(facts)[1] == ["there is no partition orders-7"]
    assert committed("audit", lag=0).check(facts)[1] == ["there is no topic audit"]


def test_a_group_without_offsets_is_reported() -> None:
    """A group that exists has no alternatives; otherwise all groups are reported."""
    facts = FakeFacts()

    assert committed(lag=0).check(facts)[1] == ["there is no group g"]
    facts.known_groups = [known_group("h", "Empty")]
    assert committed(lag=0).alternatives(facts) == ["group h"]
    facts.known_groups = [known_group("g", "Empty")]
    assert committed(lag=0).check(facts)[1] == ["group g has committed no offset"]
    assert committed(lag=0).alternatives(facts) == []


def test_a_partition_without_a_leader_has_no_log_end() -> None:
    """It is not known whether the lag is 0."""
    facts = facts_with_offset()
    facts.topics["orders"][0]["log_end_offset"] = None

    assert committed(lag=0).check(facts)[1] == ["orders-0 has no running leader"]

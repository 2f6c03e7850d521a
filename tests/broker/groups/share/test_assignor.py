"""The assignor of share groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.groups.share.assignor import assign

A, B = UUID(int=1), UUID(int=2)


def sharers(assigned: Mapping[str, Mapping[UUID, tuple[int, ...]]]) -> Counter[tuple[UUID, int]]:
    """How many members each partition has."""
    return Counter(
        (topic, each) for topics in assigned.values() for topic, ps in topics.items() for each in ps
    )


@pytest.mark.parametrize(
    ("members", "partitions"), [(1, 3), (3, 3), (2, 5), (5, 2), (7, 3), (4, 1)]
)
def test_partitions_and_members_are_balanced(members: int, partitions: int) -> None:
    """The numbers of two members, and those of two partitions, differ by at most one."""
    subscriptions = {f"m{index}": frozenset({A}) for index in range(members)}

    assigned = assign(subscriptions, {A: range(partitions)}, {})

    of_partitions = sharers(assigned)
    assert len(of_partitions) == partitions
    assert max(of_partitions.values()) - min(of_partitions.values()) <= 1
    of_members = [sum(map(len, topics.values())) for topics in assigned.values()]
    assert max(of_members) - min(of_members) <= 1
    assert min(of_members) >= 1


def test_a_member_keeps_its_partitions() -> None:
    """If another member leaves, and if another one joins, as far as the balance allows."""
    partitions = {A: range(4)}
    everyone = {name: frozenset({A}) for name in "abcd"}
    before = assign(everyone, partitions, {})

    fewer = assign({name: everyone[name] for name in "abc"}, partitions, before)
    more = assign(everyone, partitions, fewer)

    assert all(set(before[name][A]) <= set(fewer[name][A]) for name in "abc")
    assert all(set(more[name][A]) <= set(fewer[name][A]) for name in "abc")


def test_members_with_other_subscriptions_share_the_common_topics() -> None:
    """A member gets no partition of a topic that it does not subscribe to."""
    subscriptions = {"a": frozenset({A}), "b": frozenset({A, B}), "c": frozenset({B})}

    assigned = assign(subscriptions, {A: range(2), B: range(2)}, {})

    assert set(assigned["a"]) == {A}
    assert set(assigned["c"]) == {B}
    assert sum(len(topics.get(A, ())) for topics in assigned.values()) == 2
    assert sum(len(topics.get(B, ())) for topics in assigned.values()) == 2


@given(
    members=st.lists(st.frozensets(st.sampled_from([A, B])), max_size=6),
    counts=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    before=st.lists(st.sets(st.integers(0, 6)), max_size=6),
)
def test_every_partition_with_a_subscriber_has_a_member(
    members: list[frozenset[UUID]], counts: tuple[int, int], before: list[set[int]]
) -> None:
    """Whatever the assignment before; no member gets a partition that does not exist."""
    subscriptions = {f"m{index}": topics for index, topics in enumerate(members)}
    partitions = {A: range(counts[0]), B: range(counts[1])}
    old = {f"m{index}": {A: tuple(sorted(each))} for index, each in enumerate(before)}

    assigned = assign(subscriptions, partitions, old)

    expected = {
        (topic, each)
        for topic, indexes in partitions.items()
        for each in indexes
        if any(topic in topics for topics in members)
    }
    assert set(sharers(assigned)) == expected
    for member, topics in assigned.items():
        assert set(topics) <= subscriptions[member]

"""Replica placement."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.controller.partitions.replica_placer import place_replicas


def test_partitions_are_striped() -> None:
    """Kafka's StripedReplicaPlacerTest: each starts one node after the one before."""
    placed = place_replicas([1, 2, 3, 4], [], 4, 3, start=1)

    assert placed == [(2, 3, 4), (3, 4, 1), (4, 1, 2), (1, 2, 3)]


def test_another_round_combines_other_nodes() -> None:
    """The list is shuffled after each round, so that two nodes do not share all partitions."""
    placed = place_replicas([1, 2, 3, 4], [], 40, 2, start=0)

    assert len({frozenset(replicas) for replicas in placed[:4]}) == 4
    assert len({frozenset(replicas) for replicas in placed}) == 6


def test_fenced_nodes_come_last() -> None:
    """Kafka's testAvoidFencedReplicaIfPossibleOnSingleRack and others: they lead no partition."""
    two = place_replicas([1, 3], [2], 4, 2, start=0)
    three = place_replicas([1, 3], [2], 4, 3, start=0)

    assert all(2 not in replicas for replicas in two)
    assert all(replicas[2] == 2 for replicas in three)


def test_one_node_gets_all_replicas() -> None:
    """In a cluster of one node."""
    assert place_replicas([7], [], 3, 1, start=5) == [(7,), (7,), (7,)]


@given(
    alive=st.integers(1, 6),
    fenced=st.integers(0, 3),
    partitions=st.integers(1, 40),
    start=st.integers(0, 100),
    data=st.data(),
)
def test_replicas_differ_and_leaders_are_balanced(
    alive: int, fenced: int, partitions: int, start: int, data: st.DataObject
) -> None:
    """The replicas of a partition are different nodes; leader counts differ by at most one."""
    factor = data.draw(st.integers(1, alive + fenced))
    nodes, others = range(alive), range(10, 10 + fenced)

    placed = place_replicas(nodes, others, partitions, factor, start=start)

    assert len(placed) == partitions
    assert all(len(set(replicas)) == len(replicas) == factor for replicas in placed)
    led = [sum(replicas[0] == node for replicas in placed) for node in nodes]
    assert max(led) - min(led) <= 1
    assert sum(led) == partitions

"""Replica placement."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.controller.assignment import place_replicas


def test_leaders_and_followers_go_round() -> None:
    """Leaders go round the nodes, and followers shift by one after every full turn."""
    placed = place_replicas([1, 2, 3], range(6), 2, start=0, shift=0)

    assert placed == [(1, 2), (2, 3), (3, 1), (1, 3), (2, 1), (3, 2)]


def test_one_node_gets_everything() -> None:
    """A cluster of one node places all replicas there."""
    assert place_replicas([7], range(3), 1, start=5, shift=5) == [(7,), (7,), (7,)]


@given(
    nodes=st.integers(1, 6),
    partitions=st.integers(1, 40),
    start=st.integers(0, 100),
    shift=st.integers(0, 100),
    data=st.data(),
)
def test_replicas_differ_and_leaders_are_even(
    nodes: int, partitions: int, start: int, shift: int, data: st.DataObject
) -> None:
    """No partition has two replicas on one node, and no node leads two more than another."""
    factor = data.draw(st.integers(1, nodes))

    placed = place_replicas(range(nodes), range(partitions), factor, start=start, shift=shift)

    assert all(len(set(replicas)) == factor for replicas in placed)
    led = [sum(replicas[0] == node for replicas in placed) for node in range(nodes)]
    assert max(led) - min(led) <= 1

"""Replica placement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from broker.controller.metadata.image import Broker
from broker.controller.partitions.replica_placer import place_replicas

# The racks of six nodes.
RACKS: Mapping[int, str | None] = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c", 6: "c"}


def without_racks(alive: Iterable[int], fenced: Iterable[int] = ()) -> list[Broker]:
    """Nodes without a rack."""
    return [
        *(Broker(node, "h", node) for node in alive),
        *(Broker(node, "h", node, fenced=True) for node in fenced),
    ]


def in_racks(racks: Mapping[int, str | None], fenced: Iterable[int] = ()) -> list[Broker]:
    """Nodes with these racks."""
    return [
        Broker(node, "h", node, fenced=node in fenced, rack=rack) for node, rack in racks.items()
    ]


def test_partitions_are_striped() -> None:
    """Kafka's StripedReplicaPlacerTest: each starts one node after the one before."""
    placed = list(place_replicas(without_racks([1, 2, 3, 4]), 4, 3, start=1))

    assert placed == [(2, 3, 4), (3, 4, 1), (4, 1, 2), (1, 2, 3)]


def test_another_round_combines_other_nodes() -> None:
    """The list is shuffled after each round, so that two nodes do not share all partitions."""
    placed = list(place_replicas(without_racks([1, 2, 3, 4]), 40, 2, start=0))

    assert len({frozenset(replicas) for replicas in placed[:4]}) == 4
    assert len({frozenset(replicas) for replicas in placed}) == 6


def test_fenced_nodes_come_last() -> None:
    """Kafka's testAvoidFencedReplicaIfPossibleOnSingleRack and others: they lead no partition."""
    two = list(place_replicas(without_racks([1, 3], [2]), 4, 2, start=0))
    three = list(place_replicas(without_racks([1, 3], [2]), 4, 3, start=0))

    assert all(2 not in replicas for replicas in two)
    assert all(replicas[2] == 2 for replicas in three)


def test_one_node_gets_all_replicas() -> None:
    """In a cluster of one node."""
    assert list(place_replicas(without_racks([7]), 3, 1, start=5)) == [(7,), (7,), (7,)]


def test_topics_of_one_partition_start_at_all_nodes() -> None:
    """Six topics with one partition each have six leaders, in whatever racks."""
    leaders = [next(place_replicas(in_racks(RACKS), 1, 3, start=topic))[0] for topic in range(6)]

    assert sorted(leaders) == sorted(RACKS)


def test_a_rack_without_a_node_that_is_alive_leads_nothing() -> None:
    """Kafka's testRackListWithInvalidRacks and others: its nodes are only followers."""
    placed = list(place_replicas(in_racks(RACKS, fenced=[3, 4]), 8, 3, start=0))

    assert all(RACKS[replicas[0]] != "b" for replicas in placed)
    assert all({RACKS[node] for node in replicas} == {"a", "b", "c"} for replicas in placed)


def test_nodes_without_a_rack_share_one() -> None:
    """A node without a rack is apart from those with one."""
    placed = list(place_replicas(in_racks({1: None, 2: None, 3: "b", 4: "b"}), 8, 2, start=0))

    assert all((min(replicas) <= 2) and (max(replicas) >= 3) for replicas in placed)


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
    nodes = without_racks(range(alive), range(10, 10 + fenced))

    placed = list(place_replicas(nodes, partitions, factor, start=start))

    assert len(placed) == partitions
    assert all(len(set(replicas)) == len(replicas) == factor for replicas in placed)
    led = [sum(replicas[0] == node for replicas in placed) for node in range(alive)]
    assert max(led) - min(led) <= 1
    assert sum(led) == partitions


@given(
    racks=st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=1, max_size=9),
    partitions=st.integers(1, 20),
    start=st.integers(0, 100),
    data=st.data(),
)
def test_replicas_are_in_as_many_racks_as_possible(
    racks: list[str | None], partitions: int, start: int, data: st.DataObject
) -> None:
    """A partition has two replicas in a rack only if it has one in each other rack with nodes."""
    fenced = data.draw(st.sets(st.integers(1, len(racks)), max_size=len(racks) - 1))
    factor = data.draw(st.integers(1, len(racks)))
    by_node = dict(enumerate(racks, start=1))

    placed = list(place_replicas(in_racks(by_node, fenced), partitions, factor, start=start))

    for replicas in placed:
        assert len(set(replicas)) == len(replicas) == factor
        assert replicas[0] not in fenced
        assert len({by_node[node] for node in replicas}) == min(factor, len(set(racks)))

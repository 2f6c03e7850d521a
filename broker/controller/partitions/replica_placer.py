"""Assigns the replicas of new partitions: Kafka's ``StripedReplicaPlacer``.

The replicas of a partition are in different racks as far as there are enough racks. The racks are a
list, and each partition starts one rack later; in each rack, each partition starts one node later.
After a full round all lists are shuffled, so that the same nodes do not always share partitions.
Fenced nodes come last in their rack, and lead no partition. Nodes without a rack share one.

    3 nodes, factor 2, start 0         partition 0: 1 2    3: 3 1
                                                 1: 2 3    4: 1 2
                                                 2: 3 1    5: 2 3
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from broker.controller.metadata.image import Broker


def place_replicas(
    brokers: Iterable[Broker], partitions: int, factor: int, *, start: int
) -> Iterator[tuple[int, ...]]:
    """The replicas of each partition, preferred leader first, placed one after the other.

    ``start`` determines the first rack and node, and is the seed of the shuffle. Kafka draws them
    at random; here the same requests always give the same assignment.
    """
    racks = _Racks(brokers, start)
    assert racks.alive
    assert 0 < factor <= racks.nodes
    return (racks.place(factor) for _ in range(partitions))


class _Nodes:
    """The nodes of a rack that are alive, or those that are fenced.

    Each partition that takes any starts one node later.
    """

    def __init__(self, nodes: Sequence[int], start: int) -> None:
        self._nodes = sorted(nodes)
        self._first = start
        self._number = 0  # of the last partition that has taken any
        self._taken = 0

    def take(self, number: int) -> int | None:
        """The next node for the partition *number*; None if it has all of them."""
        if not self._nodes:
            return None
        if number != self._number:
            self._number, self._taken = number, 0
            self._first += 1
        if self._taken == len(self._nodes):
            return None
        node = self._nodes[(self._first + self._taken) % len(self._nodes)]
        self._taken += 1
        return node

    def shuffle(self, random: Random) -> None:
        """Change the order of the nodes."""
        random.shuffle(self._nodes)


class _Rack:
    """The nodes of one rack."""

    def __init__(self, brokers: Sequence[Broker], start: int) -> None:
        self.alive = _Nodes([each.node_id for each in brokers if not each.fenced], start)
        self.fenced = _Nodes([each.node_id for each in brokers if each.fenced], start)

    def take(self, number: int) -> int | None:
        """The next node, one that is alive if possible."""
        node = self.alive.take(number)
        return self.fenced.take(number) if node is None else node


class _Racks:
    """The racks, which take turns to have the first replica of a partition."""

    def __init__(self, brokers: Iterable[Broker], start: int) -> None:
        by_rack: dict[str | None, list[Broker]] = {}
        for broker in brokers:
            by_rack.setdefault(broker.rack, []).append(broker)
        self.nodes = sum(map(len, by_rack.values()))
        self.alive = sum(not each.fenced for rack in by_rack.values() for each in rack)
        self._random = Random(start)  # noqa: S311 - not for security
        in_order = sorted(by_rack, key=lambda rack: (rack is not None, rack or ""))
        turns, self._first = divmod(start, len(in_order))
        self._racks = [_Rack(by_rack[rack], turns) for rack in in_order]
        self._number = 0  # of the next partition

    def place(self, factor: int) -> tuple[int, ...]:
        """The replicas of the next partition."""
        if self.alive > 1 and self._number and self._number % self.alive == 0:
            self._shuffle()
        leaders_rack, leader = self._leader()
        replicas, at = [leader], self._first
        while len(replicas) < factor:
            if at == leaders_rack:
                leaders_rack = -1  # it has a replica already; in the next turn it may have another
            elif (node := self._racks[at].take(self._number)) is not None:
                replicas.append(node)
            at = self._after(at)
        self._number += 1
        self._first = self._after(self._first)
        return tuple(replicas)

    def _leader(self) -> tuple[int, int]:
        """The first rack with a node that is alive, and that node."""
        at = self._first
        while (node := self._racks[at].alive.take(self._number)) is None:
            at = self._after(at)
        return at, node

    def _after(self, at: int) -> int:
        return (at + 1) % len(self._racks)

    def _shuffle(self) -> None:
        self._random.shuffle(self._racks)
        for rack in self._racks:
            rack.alive.shuffle(self._random)
            rack.fenced.shuffle(self._random)

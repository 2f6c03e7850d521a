"""Assigns the replicas of new partitions: Kafka's ``StripedReplicaPlacer``, without racks.

A partition's replicas are consecutive in the list of nodes, and each partition starts one node
later. After a full round the list is shuffled, so that the same nodes do not always share
partitions. Fenced nodes come last and lead no partition.

    3 nodes, factor 2, start 0         partition 0: 1 2    3: 3 1
                                                 1: 2 3    4: 1 2
                                                 2: 3 1    5: 2 3
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


def place_replicas(
    alive: Sequence[int], fenced: Sequence[int], partitions: int, factor: int, *, start: int
) -> list[tuple[int, ...]]:
    """The replicas of each partition, preferred leader first.

    ``start`` is the first position and the seed of the shuffle. Kafka draws both at random; here
    the same requests always give the same assignment.
    """
    assert alive
    assert 0 < factor <= len(alive) + len(fenced)
    random = Random(start)  # noqa: S311 - not for security
    line, rest = list(alive), list(fenced)
    placed = []
    for partition in range(partitions):
        if partition > 0 and partition % len(line) == 0:
            random.shuffle(line)
            random.shuffle(rest)
        first = start + partition
        placed.append(tuple([*_turned(line, first), *_turned(rest, first)][:factor]))
    return placed


def _turned(line: Sequence[int], first: int) -> list[int]:
    """The list rotated to begin at *first*."""
    return [line[(first + step) % len(line)] for step in range(len(line))]

"""Which nodes get a new topic's replicas: Kafka's ``StripedReplicaPlacer``, without racks.

A partition's replicas stand next to each other in the line of nodes, and each partition begins one
node further on; after a full turn the line is shuffled, so that not the same nodes share for ever.
Fenced nodes come last and lead nothing.

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

    ``start`` says where the line begins and how it is shuffled: Kafka draws both at random, and
    here the same cluster comes out of the same steps every time.
    """
    assert alive
    assert 0 < factor <= len(alive) + len(fenced)
    random = Random(start)  # noqa: S311 - nobody gains by guessing it
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
    """The line from *first* on and round to it again."""
    return [line[(first + step) % len(line)] for step in range(len(line))]

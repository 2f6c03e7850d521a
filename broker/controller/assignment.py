"""Which nodes get a new topic's replicas: Kafka's placement without racks.

Leaders go round the nodes from a starting point; the followers of each leader go round too, with a
shift that grows by one after every full turn, so that the same two nodes do not always share.

    3 nodes, factor 2, start 0, shift 0      partition 0: 1 2    3: 1 3
                                                       1: 2 3    4: 2 1
                                                       2: 3 1    5: 3 2
"""

from __future__ import annotations

from collections.abc import Sequence


def place_replicas(
    nodes: Sequence[int], partitions: range, replication_factor: int, *, start: int, shift: int
) -> list[tuple[int, ...]]:
    """The replicas of each partition, preferred leader first.

    ``start`` is the index of the first leader, ``shift`` the first follower's distance less one.
    """
    assert 0 < replication_factor <= len(nodes)
    count = len(nodes)
    placed = []
    for partition in partitions:
        if partition > 0 and partition % count == 0:
            shift += 1
        first = (partition + start) % count
        followers = (
            (first + 1 + (shift + step) % (count - 1)) % count
            for step in range(replication_factor - 1)
        )
        placed.append((nodes[first], *(nodes[index] for index in followers)))
    return placed

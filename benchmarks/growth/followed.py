"""The curve of the partitions that followers fetch beside one that a client writes to."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.growth.curve import BESIDE, Curve, beside
from benchmarks.systems import System
from integration.wire.connection import Connection
from integration.wire.requests import create_topic, read_create_topic

NODES = 3
PARTITIONS_OF_A_TOPIC = 250
# The followers fetch the new partitions, and find nothing.
SETTLED_SECONDS = 2.0


def followed(system: System, sizes: Sequence[int]) -> Iterator[tuple[int, Mapping[str, float]]]:
    """Empty partitions with three replicas; a produce to another topic waits for two followers."""
    existing = 0
    with Connection(system.bootstrap, timeout=120) as connection:
        for size in sizes:
            while existing < size:
                count = min(PARTITIONS_OF_A_TOPIC, size - existing)
                request = create_topic(f"followed-{existing}", partitions=count, replication=NODES)
                error, message = read_create_topic(connection.request(request))
                assert error == 0, message
                existing += count
            time.sleep(SETTLED_SECONDS)
            yield size, beside(system)


FOLLOWED = Curve(
    "growth_followed",
    "followed partitions",
    (250, 500, 1000, 2000, 4000),
    BESIDE,
    followed,
    nodes=NODES,
)

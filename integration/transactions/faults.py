"""Faults of nodes, drawn from a seed: a node pauses or stops, and continues a little later."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Protocol

_BETWEEN_SECONDS = (0.2, 1.0)
_LASTING_SECONDS = (0.1, 1.5)


class Cluster(Protocol):
    """Our `antechamber.Cluster`, or a `RealKafka`."""

    @property
    def bootstrap(self) -> str:
        """The addresses of the nodes."""

    def pause(self, node: int) -> None:
        """Pause the node: on ours its followers, on Kafka its process."""

    def resume(self, node: int) -> None:
        """Continue a paused node."""

    def stop(self, node: int) -> None:
        """End the node without notice."""

    def start(self, node: int) -> None:
        """Start the node again."""


def cause_faults(cluster: Cluster, nodes: Sequence[int], seconds: float, seed: int) -> list[str]:
    """Cause one fault after the other; returns their descriptions. All nodes run at the end."""
    chance = random.Random(seed)
    ends = time.monotonic() + seconds
    caused: list[str] = []
    while True:
        time.sleep(chance.uniform(*_BETWEEN_SECONDS))
        if time.monotonic() >= ends:
            return caused
        node = chance.choice(nodes)
        name, begin, end = chance.choice(
            (
                ("pause", cluster.pause, cluster.resume),
                ("stop", cluster.stop, cluster.start),
            )
        )
        lasting = chance.uniform(*_LASTING_SECONDS)
        caused.append(f"{name} node {node} for {lasting:.1f} s")
        begin(node)
        try:
            time.sleep(lasting)
        finally:
            end(node)

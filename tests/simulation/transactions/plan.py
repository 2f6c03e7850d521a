"""The transactional producers of a run, and faults of the requests between nodes.

Producers of the old protocol and stalled connections exclude each other: a marker that arrives late
ends the next transaction of such a producer, in Kafka as well. KIP-890 has corrected that with the
epoch of each transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.simulation.steps import Fault, Step
from tests.simulation.transactions.producer import ProducerPlan

GROUP = "g"


@dataclass(frozen=True)
class TransactionsPlan:
    """The producers, and the numbers of partitions of the internal topics."""

    producers: tuple[ProducerPlan, ...]
    state_partitions: int
    offsets_partitions: int
    steps: tuple[Step, ...]

    @property
    def has_old(self) -> bool:
        """Whether a producer uses the old protocol."""
        return not all(producer.is_new for producer in self.producers)

    @property
    def config(self) -> dict[str, str]:
        """Settings under which faults matter within the seconds of a run."""
        return {
            "transaction.state.log.num.partitions": str(self.state_partitions),
            "offsets.topic.num.partitions": str(self.offsets_partitions),
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
            "request.timeout.ms": "1000",
            # Compaction would change batches that are compared with other replicas.
            "log.cleaner.min.compaction.lag.ms": "86400000",
        }


def draw_transactions(seed: int, duration_ms: float, nodes: list[int]) -> TransactionsPlan:
    """The transactions of that seed."""
    random = Random(f"transactions {seed}")
    old = random.choice((0, 0, 0.7))
    ids = ("alpha", "beta")[: random.choice((1, 2))]
    producers = [
        ProducerPlan(
            name=f"{transactional_id}-{instance}",
            transactional_id=transactional_id,
            is_new=random.random() >= old,
            group=GROUP if transactional_id == "alpha" else None,
            timeout_ms=random.choice((800, 2000, 4000)),
        )
        for transactional_id in ids
        for instance in range(random.choice((1, 1, 2)))
    ]
    has_old = not all(producer.is_new for producer in producers)
    faults = _SAFE_FAULTS if has_old else _SAFE_FAULTS + _LATE_FAULTS
    steps: list[Step] = []
    for _ in range(random.randint(2, 10)):
        at_ms = random.uniform(0, duration_ms)
        on, off = random.choice(faults)
        node = random.choice(nodes)
        steps.append(Fault(at_ms, on, node))
        if off is not None:
            steps.append(Fault(at_ms + random.uniform(50, 2500), off, node))
    return TransactionsPlan(
        tuple(producers),
        state_partitions=random.choice((1, 2)),
        offsets_partitions=1,
        steps=tuple(steps),
    )


# Each with what undoes it, if anything.
_SAFE_FAULTS: tuple[tuple[str, str | None], ...] = (
    ("lose marker request", None),
    ("lose marker response", None),
    ("lose addition request", None),
    ("lose addition response", None),
    ("hold marker response", "release markers"),
    ("hold addition response", "release additions"),
)
_LATE_FAULTS: tuple[tuple[str, str | None], ...] = (
    ("hold marker request", "release markers"),
    ("hold marker request", "release markers"),
    ("hold addition request", "release additions"),
)

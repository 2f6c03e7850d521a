"""The transactional producers of a run, and faults of the requests between nodes.

Producers of the old protocol and stalled connections exclude each other: a marker that arrives late
ends the next transaction of such a producer, in Kafka as well. KIP-890 has corrected that with the
epoch of each transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from broker.transactions.transitions import LAST_CLIENT_EPOCH
from tests.simulation.steps import Delete, DeleteTopic, Fault, Step
from tests.simulation.transactions.producer import ProducerPlan

GROUP = "g"
# Topics of one partition, in which transactions have records until they are deleted, one by one.
TEMPORARY = tuple(f"temporary-{number}" for number in range(4))


@dataclass(frozen=True)
class TransactionsPlan:
    """The producers, and the numbers of partitions of the internal topics.

    ``first_epoch`` is the epoch with which transactional ids begin, 0 for new ones. With
    ``expiration_ms``, unused ids expire. ``temporary`` are topics that steps delete. With
    ``deletes_records``, steps delete records, also of open transactions.
    """

    producers: tuple[ProducerPlan, ...]
    state_partitions: int
    offsets_partitions: int
    steps: tuple[Step, ...]
    first_epoch: int = 0
    expiration_ms: int | None = None
    temporary: tuple[str, ...] = ()
    deletes_records: bool = False

    @property
    def has_old(self) -> bool:
        """Whether a producer uses the old protocol."""
        return not all(producer.is_new for producer in self.producers)

    @property
    def config(self) -> dict[str, str]:
        """Settings under which faults matter within the seconds of a run."""
        expiring = {
            "transactional.id.expiration.ms": str(self.expiration_ms),
            "transaction.remove.expired.transaction.cleanup.interval.ms": "250",
        }
        return {
            **(expiring if self.expiration_ms is not None else {}),
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


def with_rare_events(plan: TransactionsPlan, seed: int, duration_ms: float) -> TransactionsPlan:
    """The plan with one or two kinds of events that are rare in the life of a transactional id."""
    random = Random(f"rare events {seed}")
    kinds = [_with_used_ids, _with_expiring_ids, _with_temporary_topics]
    if not plan.has_old:  # without producer state, an old producer may append any sequence
        kinds.append(_with_deleted_records)
    for add in random.sample(kinds, random.choice((1, 1, 2))):
        plan = add(random, plan, duration_ms)
    return plan


def _with_used_ids(random: Random, plan: TransactionsPlan, _: float) -> TransactionsPlan:
    return replace(plan, first_epoch=LAST_CLIENT_EPOCH - random.randint(0, 2))


def _with_expiring_ids(random: Random, plan: TransactionsPlan, _: float) -> TransactionsPlan:
    producers = tuple(replace(each, rest_max_s=2.0) for each in plan.producers)
    return replace(plan, producers=producers, expiration_ms=random.choice((400, 700)))


def _with_temporary_topics(
    random: Random, plan: TransactionsPlan, duration_ms: float
) -> TransactionsPlan:
    deletions = [DeleteTopic(random.uniform(500, duration_ms)) for _ in TEMPORARY]
    producers = tuple(replace(each, temporary=TEMPORARY) for each in plan.producers)
    plan = replace(plan, producers=producers)
    return replace(plan, temporary=TEMPORARY, steps=(*plan.steps, *deletions))


def _with_deleted_records(
    random: Random, plan: TransactionsPlan, duration_ms: float
) -> TransactionsPlan:
    deletions = [
        Delete(random.uniform(500, duration_ms), 0, random.choice((0.5, 0.9, 1.0)), 3000)
        for _ in range(random.randint(3, 12))
    ]
    producers = tuple(replace(each, may_lose_state=True) for each in plan.producers)
    plan = replace(plan, producers=producers)
    return replace(plan, deletes_records=True, steps=(*plan.steps, *deletions))


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

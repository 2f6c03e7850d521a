"""The configuration and the number of steps of a run, drawn from its seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from broker.config import Config
from broker.groups.consumer.workload import ITEMS_AT_ONCE_MAX

STEPS = 200
PARTITIONS = 2
# The largest signed 32-bit number.
INT32_MAX = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The parameters of a run, which determine it."""

    seed: int
    config: Config
    steps: int = STEPS
    # Whether computations in threads take until the next step, and which heartbeats are long.
    holds_threads: bool = False
    items_at_once_max: int = ITEMS_AT_ONCE_MAX


def draw(seed: int, steps: int = STEPS) -> Plan:
    """Return the plan of a seed."""
    rng = random.Random(f"plan {seed}")
    config = Config(
        offsets_topic_num_partitions=PARTITIONS,
        offsets_retention_minutes=rng.choice((1, 60, 10_080)),
        group_initial_rebalance_delay_ms=rng.choice((0, 0, 3000)),
        group_min_session_timeout_ms=rng.choice((0, 6000)),
        group_max_session_timeout_ms=rng.choice((1_800_000, INT32_MAX)),
        group_max_size=rng.choice((INT32_MAX, INT32_MAX, 3)),
        group_consumer_max_size=rng.choice((INT32_MAX, INT32_MAX, 3)),
        group_consumer_assignment_interval_ms=rng.choice((0, 0, 1000)),
        group_consumer_migration_policy=rng.choice(
            ("bidirectional", "bidirectional", "bidirectional", "upgrade", "downgrade", "disabled")
        ),
    )
    return Plan(
        seed=seed,
        config=config,
        steps=steps,
        holds_threads=rng.random() < 0.5,
        items_at_once_max=rng.choice((0, 8, ITEMS_AT_ONCE_MAX)),
    )

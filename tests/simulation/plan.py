"""The plan of a run, drawn from its seed alone.

A plan is valid by construction: only running nodes are stopped, at most ``down_max`` at a time, and
all faults are undone at the end. Two plans of three have scenes and fewer unrelated steps; a node
may then be down already when a fault is applied. One plan of five has transactions. Plans of high
seeds have fault rules about links, half of them instead of other faults. The run itself draws
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC, TRANSACTION_STATE_TOPIC
from tests.simulation.link_rules import LINKS_SINCE, draw_link_rules, link_config
from tests.simulation.rules import TOPIC
from tests.simulation.scenes import draw_loss, draw_scenes
from tests.simulation.steps import (
    Delete,
    Disconnect,
    Fault,
    LoseTail,
    Move,
    Produce,
    Read,
    Step,
)
from tests.simulation.transactions.plan import (
    TransactionsPlan,
    draw_transactions,
    with_rare_events,
)
from tests.simulation.transactions.scenes import draw_transaction_scenes

DURATION_MS = 5000
# From this seed on, transactions have rare events: exhausted epochs, expired ids, deletions.
RARE_EVENTS_SINCE = 1000


@dataclass
class Plan:
    """Settings, the number of idempotent producers, and steps in order."""

    seed: int
    brokers: int
    partitions: int
    replication_factor: int
    config: dict[str, str]
    latency_max_ms: float
    down_max: int
    producers: int
    steps: list[Step] = field(default_factory=list)
    transactions: TransactionsPlan | None = None

    @property
    def nodes(self) -> list[int]:
        """All node ids."""
        return list(range(1, self.brokers + 1))

    @property
    def keys(self) -> list[TopicPartition]:
        """All partitions: first those of the topic, then those of internal topics, if any."""
        topics = {TOPIC: self.partitions}
        if self.transactions is not None:
            topics[TRANSACTION_STATE_TOPIC] = self.transactions.state_partitions
            topics[GROUP_METADATA_TOPIC] = self.transactions.offsets_partitions
        return [
            TopicPartition(topic, index)
            for topic, partitions in topics.items()
            for index in range(partitions)
        ]


def draw(seed: int) -> Plan:
    """The plan of that seed."""
    random = Random(seed)
    brokers = random.choice((3, 3, 3, 4, 5))
    plan = Plan(
        seed=seed,
        brokers=brokers,
        partitions=random.choice((1, 1, 2, 3)),
        replication_factor=3 if random.random() < 0.8 else brokers,
        config=_config(random),
        latency_max_ms=random.choice((0, 0, 2, 30)),
        down_max=random.choice((1, 1, 1, brokers)),
        producers=random.choice((0, 1, 2)),
    )
    count = random.randint(30, 70)
    if seed % 3:
        _draw_scenes(random, plan)
        count = random.randint(0, 20)
    times = sorted(random.uniform(0, DURATION_MS) for _ in range(count))
    drawer = _StepDrawer(random, plan)
    for at_ms in times:
        drawer.step(at_ms)
    if seed % 5 == 2:
        _add_transactions(plan)
    if seed >= LINKS_SINCE:
        _add_link_rules(plan)
    plan.steps.sort(key=lambda step: step.at_ms)
    return plan


def _add_transactions(plan: Plan) -> None:
    """Let the run have transactions too, and only deletions that their readers expect."""
    transactions = draw_transactions(plan.seed, DURATION_MS, plan.nodes)
    if plan.seed >= RARE_EVENTS_SINCE:
        transactions = with_rare_events(transactions, plan.seed, DURATION_MS)
    plan.transactions = transactions
    plan.config.pop("log.retention.ms", None)
    plan.config |= transactions.config
    plan.steps = [
        step
        for step in plan.steps
        if not isinstance(step, Delete)
        and not (transactions.has_old and isinstance(step, Fault) and step.kind == "stall")
    ]
    random = Random(f"moves {plan.seed}")
    if random.random() < 0.6:  # fewer other faults, so that more transactions are decided
        lag_max_ms = int(plan.config["replica.lag.time.max.ms"])
        late = not transactions.has_old
        plan.steps = [step for step in plan.steps if isinstance(step, (Produce, Read))]
        plan.steps += draw_transaction_scenes(
            random,
            plan.partitions,
            lag_max_ms,
            late_requests=late,
            deletes_topics=bool(transactions.temporary),
        )
    for _ in range(random.randint(0, 4)):
        index = random.randrange(plan.partitions, len(plan.keys))
        replicas = tuple(random.sample(plan.nodes, 3))
        plan.steps.append(Move(random.uniform(0, DURATION_MS), index, replicas))
    plan.steps += transactions.steps


def _add_link_rules(plan: Plan) -> None:
    """Let links have faults; in plans with an even seed, nodes have no others."""
    plan.config |= link_config(plan.seed)
    if plan.seed % 2 == 0:
        plan.steps = [
            step for step in plan.steps if not isinstance(step, Fault | LoseTail | Disconnect)
        ]
    plan.steps += draw_link_rules(plan.seed, plan.nodes, DURATION_MS)


def _draw_scenes(random: Random, plan: Plan) -> None:
    """Draw settings for short scenes that two of three replicas can play, and the scenes."""
    lag_max_ms = random.choice((600, 1000))
    plan.config["replica.lag.time.max.ms"] = str(lag_max_ms)
    plan.config["min.insync.replicas"] = random.choice("2221")
    plan.partitions = random.choice((1, 1, 2))
    plan.producers = random.choice((1, 1, 2))
    if random.random() < 0.3:
        plan.config["min.insync.replicas"] = "2"  # a single replica could lose committed records
        plan.down_max = 0
        scenes = draw_loss(random, plan.partitions, lag_max_ms)
    else:
        spare = plan.brokers > plan.replication_factor
        scenes = draw_scenes(random, plan.partitions, lag_max_ms, spare=spare)
    plan.steps = scenes.steps
    if scenes.latency_max_ms is not None:
        plan.latency_max_ms = scenes.latency_max_ms


def _config(random: Random) -> dict[str, str]:
    lag_max_ms = random.choice((600, 1000, 2000))
    config = {
        "min.insync.replicas": random.choice("2222213"),
        "replica.lag.time.max.ms": str(lag_max_ms),
        "replica.fetch.wait.max.ms": str(random.choice((100, 300, 500))),
        "replica.fetch.backoff.ms": str(random.choice((50, 200, 1000))),
        "replica.high.watermark.checkpoint.interval.ms": str(random.choice((500, 5000))),
    }
    if random.random() < 0.3:
        config["log.roll.ms"] = str(random.choice((300, 2000)))
        if random.random() < 0.5:
            config["log.retention.ms"] = "2500"
            config["log.retention.check.interval.ms"] = "1000"
            config["log.initial.task.delay.ms"] = "1000"
    return config


class _StepDrawer:
    """Draws steps, and tracks the state of nodes so that every step is possible."""

    def __init__(self, random: Random, plan: Plan) -> None:
        self._random = random
        self._plan = plan
        self._down: set[int] = set()
        self._paused: set[int] = set()
        self._metadata_held: set[int] = set()
        self._channel_held: set[int] = set()
        self._stalled: set[int] = set()
        # How likely each step is, and what makes it.
        self._steps: list[tuple[int, Callable[[float], None]]] = [
            (30, self._produce),
            (16, self._read),
            (2, self._delete),
            (10, self._pause_or_resume),
            (8, self._stop_or_start),
            (6, self._move),
            (8, self._hold_or_release_metadata),
            (6, self._hold_or_restore_channel),
            (3, self._fail_request),
            (5, self._disconnect),
            (4, self._stall_or_unstall),
        ]

    def step(self, at_ms: float) -> None:
        """Add one step."""
        weights = [weight for weight, _ in self._steps]
        _, make = self._random.choices(self._steps, weights)[0]
        make(at_ms)

    def _add(self, step: Step) -> None:
        self._plan.steps.append(step)

    def _partition(self) -> int:
        return self._random.randrange(self._plan.partitions)

    def _up(self) -> list[int]:
        return [node for node in self._plan.nodes if node not in self._down]

    def _produce(self, at_ms: float) -> None:
        random = self._random
        self._add(
            Produce(
                at_ms,
                self._partition(),
                acks=random.choice((-1, -1, -1, 1, 0)),
                count=random.choice((1, 1, 3)),
                timeout_ms=random.choice((0, 100, 1000, 4000, 4000)),
                stale=random.choice(self._plan.nodes) if random.random() < 0.1 else None,
            )
        )

    def _read(self, at_ms: float) -> None:
        random = self._random
        self._add(
            Read(
                at_ms,
                self._partition(),
                node=random.choice((None, None, random.choice(self._plan.nodes))),
                whence=random.choice((0, 1, 1, 1, random.random())),
                max_wait_ms=random.choice((0, 200, 1500)),
                version=random.choice((10, 11, 12)),
            )
        )

    def _delete(self, at_ms: float) -> None:
        random = self._random
        self._add(Delete(at_ms, self._partition(), random.random(), random.choice((0, 500, 3000))))

    def _toggle(self, at_ms: float, among: set[int], on: str, off: str) -> None:
        """Apply a fault to another node, or undo one: the more nodes have it, the likelier."""
        random = self._random
        if among and random.random() < 0.4 + 0.2 * len(among):
            node = random.choice(sorted(among))
            among.discard(node)
            self._add(Fault(at_ms, off, node))
        elif free := [node for node in self._up() if node not in among]:
            node = random.choice(free)
            among.add(node)
            self._add(Fault(at_ms, on, node))

    def _pause_or_resume(self, at_ms: float) -> None:
        self._toggle(at_ms, self._paused, "pause", "resume")

    def _hold_or_release_metadata(self, at_ms: float) -> None:
        self._toggle(at_ms, self._metadata_held, "hold metadata", "release metadata")

    def _hold_or_restore_channel(self, at_ms: float) -> None:
        on = self._random.choice(("hold requests", "hold responses"))
        self._toggle(at_ms, self._channel_held, on, "restore channel")

    def _stall_or_unstall(self, at_ms: float) -> None:
        self._toggle(at_ms, self._stalled, "stall", "unstall")

    def _stop_or_start(self, at_ms: float) -> None:
        random = self._random
        if not self._plan.down_max:
            return
        if self._down and (len(self._down) >= self._plan.down_max or random.random() < 0.5):
            node = random.choice(sorted(self._down))
            self._down.discard(node)
            self._add(Fault(at_ms, "start", node))
            return
        node = random.choice(self._up())
        self._down.add(node)
        for others in (self._paused, self._metadata_held, self._channel_held, self._stalled):
            others.discard(node)
        self._add(Fault(at_ms, random.choice(("stop", "shut down")), node))

    def _move(self, at_ms: float) -> None:
        random = self._random
        replicas = random.sample(self._plan.nodes, self._plan.replication_factor)
        self._add(Move(at_ms, self._partition(), tuple(replicas)))

    def _fail_request(self, at_ms: float) -> None:
        kind = self._random.choice(("refuse", "fail unknown", "lose response", "repeat"))
        if up := self._up():
            self._add(Fault(at_ms, kind, self._random.choice(up)))

    def _disconnect(self, at_ms: float) -> None:
        random = self._random
        node = random.choice(self._plan.nodes)
        self._add(Disconnect(at_ms, node, random.choice((0.3, 1.0))))

"""The plan of a run with share groups, drawn from its seed alone.

Members of one group fetch and acknowledge while nodes stop and pause, metadata is held, links are
cut, connections break, requests to the share coordinator are lost or late, and leaders move. All
faults are undone at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from broker.controller.metadata.image import GROUP_METADATA_TOPIC, SHARE_GROUP_STATE_TOPIC
from tests.simulation.share_groups.steps import (
    Append,
    CutLink,
    DeleteRecords,
    Lead,
    MendLinks,
)
from tests.simulation.steps import Disconnect, Fault, Step

TOPIC = "shared"
GROUP = "g"
DURATION_MS = 6000
NODES = (1, 2, 3)

# The ways of a member to deal with what it has acquired, and how likely each is.
ACTIONS = {
    "accept": 40,
    "accept a part": 10,
    "release": 10,
    "reject": 4,
    "mixed": 8,
    "renew": 4,
    "keep": 8,
    "forget": 4,
    "stale epoch": 3,
    "of another member": 3,
}


@dataclass
class SharePlan:
    """Settings and steps in order; *actions* are weights as `ACTIONS` has them."""

    seed: int
    partitions: int
    members: int
    state_partitions: int
    config: dict[str, str]
    latency_max_ms: float
    batch_sizes: tuple[int, ...]
    actions: dict[str, int] = field(default_factory=ACTIONS.copy)
    steps: list[Step] = field(default_factory=list)

    @property
    def lock_duration_ms(self) -> int:
        """How long a member may keep records."""
        return int(self.config["group.share.record.lock.duration.ms"])

    @property
    def delivery_count_limit(self) -> int:
        """How often a record is delivered at most."""
        return int(self.config["group.share.delivery.count.limit"])


def settings(lock_ms: int = 1000, limit: int = 5, **others: str) -> dict[str, str]:
    """The settings of the broker; in *others*, ``__`` stands for a dot."""
    config = {
        "min.insync.replicas": "2",
        "replica.lag.time.max.ms": "1000",
        "replica.fetch.wait.max.ms": "300",
        "replica.fetch.backoff.ms": "100",
        "offsets.topic.num.partitions": "1",
        "group.share.min.record.lock.duration.ms": "1000",
        "group.share.record.lock.duration.ms": str(lock_ms),
        "group.share.delivery.count.limit": str(limit),
        "group.share.assignment.interval.ms": "0",
        "group.share.initialize.retry.interval.ms": "2000",
    }
    return config | {name.replace("__", "."): value for name, value in others.items()}


def draw(seed: int) -> SharePlan:
    """The plan of that seed."""
    random = Random(f"share groups {seed}")
    config = settings(
        random.choice((1000, 1000, 1500, 3000)),
        random.choice((2, 3, 5, 5)),
        group__share__partition__max__record__locks=random.choice(("100", "2000")),
        share__coordinator__snapshot__update__records__per__snapshot=random.choice(
            ("0", "2", "10", "500")
        ),
        share__coordinator__state__topic__prune__interval__ms=random.choice(("700", "300000")),
        share__coordinator__cold__partition__snapshot__interval__ms=random.choice(
            ("500", "300000")
        ),
    )
    plan = SharePlan(
        seed=seed,
        partitions=random.choice((1, 1, 2, 3)),
        members=random.choice((2, 3, 4)),
        state_partitions=random.choice((1, 1, 2)),
        config=config,
        latency_max_ms=random.choice((0, 2, 20)),
        batch_sizes=random.choice(((1,), (1, 5, 10), (10, 30))),
    )
    appends = random.randint(8, 40)
    plan.steps += [
        Append(at_ms, random.randrange(plan.partitions), random.choice(plan.batch_sizes))
        for at_ms in (random.uniform(0, DURATION_MS) for _ in range(appends))
    ]
    drawer = _FaultDrawer(random, plan)
    for at_ms in sorted(random.uniform(0, DURATION_MS) for _ in range(random.randint(0, 30))):
        drawer.draw(at_ms)
    plan.steps.sort(key=lambda step: step.at_ms)
    return plan


class _FaultDrawer:
    """Draws faults; only one node at a time is down."""

    def __init__(self, random: Random, plan: SharePlan) -> None:
        self._random = random
        self._plan = plan
        self._down: int | None = None
        self._kinds = {
            self._stop_or_start: 10,
            self._pause_or_resume: 4,
            self._metadata: 5,
            self._lead: 14,
            self._cut_or_mend: 5,
            self._disconnect: 4,
            self._fail_request: 10,
            self._delete: 1,
        }

    def draw(self, at_ms: float) -> None:
        """Add one fault."""
        kinds, weights = list(self._kinds), list(self._kinds.values())
        self._plan.steps.append(self._random.choices(kinds, weights)[0](at_ms))

    def _node(self) -> int:
        return self._random.choice(NODES)

    def _stop_or_start(self, at_ms: float) -> Step:
        if self._down is None:
            self._down = self._node()
            return Fault(at_ms, "stop", self._down)
        node, self._down = self._down, None
        return Fault(at_ms, "start", node)

    def _pause_or_resume(self, at_ms: float) -> Step:
        return Fault(at_ms, self._random.choice(("pause", "resume")), self._node())

    def _metadata(self, at_ms: float) -> Step:
        kind = self._random.choice(("hold metadata", "release metadata"))
        return Fault(at_ms, kind, self._node())

    def _lead(self, at_ms: float) -> Step:
        topics = {
            TOPIC: self._plan.partitions,
            SHARE_GROUP_STATE_TOPIC: self._plan.state_partitions,
            GROUP_METADATA_TOPIC: 1,
        }
        topic = self._random.choices(list(topics), (5, 5, 1))[0]
        return Lead(at_ms, topic, self._random.randrange(topics[topic]), self._node())

    def _cut_or_mend(self, at_ms: float) -> Step:
        if self._random.random() < 0.5:
            return MendLinks(at_ms)
        one, other = self._random.sample(NODES, 2)
        return CutLink(at_ms, one, other)

    def _disconnect(self, at_ms: float) -> Step:
        return Disconnect(at_ms, self._node(), self._random.choice((0.3, 1.0)))

    def _fail_request(self, at_ms: float) -> Step:
        verb = self._random.choice(("lose", "lose", "delay"))
        api = self._random.choice(("write", "write", "read", "initialize"))
        part = self._random.choice(("request", "response")) if verb == "lose" else "request"
        return Fault(at_ms, f"{verb} {api} {part}", self._node())

    def _delete(self, at_ms: float) -> Step:
        partition = self._random.randrange(self._plan.partitions)
        return DeleteRecords(at_ms, partition, self._random.random())

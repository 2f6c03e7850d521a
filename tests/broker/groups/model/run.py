"""One run: random steps on a node, each followed by the checks."""

from __future__ import annotations

import hashlib
import logging
import random
import re
import traceback
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from broker.steps.queue import finish
from protocol.errors import ErrorCode
from tests.broker.groups.model.actors import Actors
from tests.broker.groups.model.operators import Operators
from tests.broker.groups.model.plan import STEPS, Plan, draw
from tests.broker.groups.model.producers import Producers
from tests.broker.groups.model.rules import Rules
from tests.broker.groups.model.violation import Violation
from tests.broker.groups.model.world import TOPICS, ModelWorld

_COMPACTION_STEPS = 50
_OFFSETS_STEPS = 10
# The representation of bytes in responses, which differs between runs.
_MEMORY = re.compile(r"<memory at \w+>")


@dataclass(frozen=True)
class Result:
    """The result of a seed; ``failure`` is None if every rule held."""

    seed: int
    lines: list[str]
    failure: str | None

    @property
    def digest(self) -> str:
        """A hash of the steps."""
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()[:12]


def play(seed: int, steps: int = STEPS) -> Result:
    """Run a seed to its end, or to the first failure."""
    plan = draw(seed, steps)
    lines: list[str] = []
    errors = _Errors()
    try:
        with _seeded_uuids(seed), errors.collected():
            run = _Run(plan)
            for number in range(plan.steps):
                lines.append(_MEMORY.sub("bytes", f"{number} {run.step()}"))
                run.check(number)
                if errors.found:
                    return Result(seed, lines, errors.found[0])
    except Violation as violation:
        return Result(seed, lines, str(violation))
    except Exception:
        return Result(seed, lines, traceback.format_exc())
    return Result(seed, lines, None)


class _Run:
    """The state of a run."""

    def __init__(self, plan: Plan) -> None:
        self._rng = random.Random(f"run {plan.seed}")
        self._world = ModelWorld(plan)
        self._actors = Actors(self._rng, self._world)
        self._operators = Operators(self._rng, self._world, self._actors)
        self._producers = Producers(self._rng, self._world, self._actors)
        self._rules = Rules(self._world)

    def step(self) -> str:
        """Run a random step; returns its description."""
        chance = self._rng.random()
        if chance < 0.58:
            return self._actors.act()
        if chance < 0.68:
            return self._operators.act()
        if chance < 0.80:
            return self._producers.act()
        if chance < 0.90:
            duration_ms = self._rng.choice((1, 100, 3000, 10_000, 10_000, 30_000, 60_000, 600_000))
            self._world.world.wait(duration_ms)
            return f"wait {duration_ms}"
        if chance < 0.95:
            return self._change_topics()
        return self._fault()

    def check(self, number: int) -> None:
        """Check the rules after step *number*."""
        self._rules.check()
        if number % _COMPACTION_STEPS == 0:
            self._rules.check_compacted_logs()
        if number % _OFFSETS_STEPS == 0:
            self._rules.check_offsets()

    def _change_topics(self) -> str:
        name = self._rng.choice(TOPICS)
        if self._rng.random() < 0.4:
            self._world.drop_topic(name)
            return f"drop {name}"
        partitions = self._rng.choice((1, 2, 3, 6))
        self._world.put_topic(name, partitions)
        return f"topic {name} {partitions}"

    def _fault(self) -> str:
        world = self._world
        partition = self._rng.randrange(len(world.world.logs))
        faults = {
            "slow": (world.slow_down, 1),
            "replicate": (world.replicate, 2),
            "refuse": (self._refuse, 1),
            "resign": (lambda: world.resign(partition), 1),
            "lead": (lambda: world.lead(partition), 2),
            "restart": (world.restart, 1),
            "expire": (lambda: finish(world.node.groups.expire_offsets()), 1),
            "abandon": (self._abandon, 1),
            "settings": (self._configure, 1),
        }
        # The logs accept records again when the next fault begins, so that most steps append.
        self._rules.is_refusing = False
        world.world.refuse(None)
        names = [name for name, (_, weight) in faults.items() for _ in range(weight)]
        name = self._rng.choice(names)
        faults[name][0]()
        return f"{name} {partition}"

    def _refuse(self) -> None:
        self._rules.is_refusing = True
        refusals = (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.KAFKA_STORAGE_ERROR)
        self._world.world.refuse(self._rng.choice(refusals))

    def _abandon(self) -> None:
        if self._world.parked:
            self._world.abandon(self._rng.choice(self._world.parked))

    def _configure(self) -> None:
        settings = self._rng.choice(({}, {"consumer.session.timeout.ms": "60000"}))
        self._world.node.groups.consumers.configs.replace("g", settings)


class _Errors(logging.Handler):
    """Collects logged errors, such as exceptions in timer tasks and operations."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record with its traceback."""
        self.found.append(logging.Formatter().format(record))

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Collect the errors that are logged in this context."""
        root = logging.getLogger()
        root.addHandler(self)
        try:
            yield
        finally:
            root.removeHandler(self)


@contextmanager
def _seeded_uuids(seed: int) -> Iterator[None]:
    """Derive member ids from the seed."""
    rng = random.Random(f"uuids {seed}")

    def uuid4() -> uuid.UUID:
        return uuid.UUID(int=rng.getrandbits(128), version=4)

    with (
        patch("broker.groups.classic.group.uuid4", uuid4),
        patch("broker.groups.consumer.member.uuid4", uuid4),
    ):
        yield

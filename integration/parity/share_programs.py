"""Random programs about share groups: a seed determines the conditions and the steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from integration.parity.share_game import Conditions
from integration.parity.share_steps import (
    Acknowledge,
    AcknowledgeOddly,
    Delete,
    Disconnect,
    End,
    Expire,
    Fetch,
    Produce,
    Renew,
    Reopen,
    ShareStep,
    Transact,
)

LONG_LOCK_MS = 60_000
SHORT_LOCK_MS = 4000  # of programs that wait for the expiry
STEPS_MAX = 16
EXPIRIES_MAX = 2  # each takes the time of a lock
_WEIGHTS = {
    "fetch": 10,
    "fetch and acknowledge": 3,
    "acknowledge": 8,
    "acknowledge oddly": 3,
    "renew": 2,
    "produce": 3,
    "transact": 2,
    "reopen": 1,
    "end": 1,
    "disconnect": 1,
    "delete": 1,
    "expire": 2,
}


@dataclass(frozen=True)
class ShareProgram:
    """The steps of the program with a seed; *conditions* are given before."""

    seed: int
    conditions: Conditions
    steps: tuple[ShareStep, ...]

    def without(self, index: int) -> ShareProgram:
        """The program without one step."""
        return replace(self, steps=self.steps[:index] + self.steps[index + 1 :])

    def text(self) -> str:
        """The program, a step in each line."""
        return "\n".join([f"seed {self.seed}: {self.conditions}", *map(str, self.steps)])


def share_program(seed: int) -> ShareProgram:
    """The program with a seed."""
    random = Random(seed)
    members = tuple(_subscription(random) for _ in range(random.randint(2, 3)))
    names = random.choices(list(_WEIGHTS), list(_WEIGHTS.values()), k=random.randint(4, STEPS_MAX))
    stored = _stored(random) if random.random() < 0.2 else ()
    if stored:  # a difference: see the scenario share_log_start_moves_into_a_gap
        names = [name for name in names if name != "delete"]
    most = random.choice((0, 0, 1, EXPIRIES_MAX))
    while names.count("expire") > most:
        names.remove("expire")
    conditions = Conditions(
        members,
        SHORT_LOCK_MS if "expire" in names else LONG_LOCK_MS,
        _settings(random),
        stored,
        tuple(random.choices((1, 2, 3, 5, 8), k=random.randint(1, 5))),
    )
    steps = [_step(name, random, members) for name in names]
    return ShareProgram(seed, conditions, (Produce(1, (2, 3)), *steps))


def _subscription(random: Random) -> tuple[int, ...]:
    """With several partitions a fetch has no limits, because Kafka fetches them in any order."""
    return random.choice(((0,), (0,), (0,), (0, 1), (1, 0)))


def _settings(random: Random) -> tuple[tuple[str, str], ...]:
    settings = [("delivery_count_limit", str(random.choice((2, 3, 4, 5, 10))))]
    if random.random() < 0.2:
        settings.append(("partition_max_record_locks", "100"))
    if random.random() < 0.5:
        settings.append(("isolation_level", "read_committed"))
    return tuple(settings)


def _stored(random: Random) -> tuple[str, ...]:
    """State batches from offset 0 on, with gaps."""
    batches, offset = [], 0
    for _ in range(random.randint(1, 4)):
        first = offset + random.choice((0, 0, 1, 2))
        offset = first + random.randint(1, 3)
        state = random.choice(("available", "available", "acknowledged", "archived"))
        batches.append(f"{first}-{offset - 1} {state} {random.randint(1, 4)}")
    return tuple(batches)


def _step(name: str, random: Random, members: tuple[tuple[int, ...], ...]) -> ShareStep:
    member, seed = random.randrange(len(members)), random.randrange(1 << 16)
    partition = random.choice(members[member])
    make: dict[str, Callable[[], ShareStep]] = {
        "fetch": lambda: _fetch(random, member, members[member], None),
        "fetch and acknowledge": lambda: _fetch(random, member, members[member], seed),
        "acknowledge": lambda: Acknowledge(member, seed),
        "acknowledge oddly": lambda: AcknowledgeOddly(member, seed),
        "renew": lambda: Renew(member, seed, random.random() < 0.5),
        "produce": lambda: Produce(partition, _counts(random)),
        "transact": lambda: Transact(partition, random.randint(1, 4), random.random() < 0.5),
        "reopen": lambda: Reopen(member),
        "end": lambda: End(member, seed),
        "disconnect": lambda: Disconnect(member),
        "delete": lambda: Delete(partition, random.random()),
        "expire": Expire,
    }
    return make[name]()


def _counts(random: Random) -> tuple[int, ...]:
    if random.random() < 0.15:
        return (random.choice((60, 110)),)
    return tuple(random.choices((1, 2, 4, 7), k=random.randint(1, 3)))


def _fetch(random: Random, member: int, partitions: tuple[int, ...], seed: int | None) -> Fetch:
    most = random.choice((1, 2, 3, 5, 8, 500)) if len(partitions) == 1 else 500
    return Fetch(member, most, random.choice((1, 2, 4, 500)), random.random() < 0.4, seed)

"""Eight threads perform all operations at random; nothing must remain.

`ANTECHAMBER_SEED` draws others. The threads take turns in another order in each run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from random import Random
from threading import Thread
from typing import Any

import pytest

from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock, MockOperation, MockTryLockOperation

THREADS = 8
STEPS = 1500  # for each thread
KEYS = 12


@pytest.fixture
def hectic() -> Iterator[None]:
    """Switch threads a thousand times as often as usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(interval)


class Stress:
    """The state that the threads share, and the steps of each."""

    def __init__(self, seed: int, operation_type: type[Any]) -> None:
        self.clock = ManualClock()
        self.timer = SystemTimer("stress", now_ms=self.clock, wheel_size=4)
        self.purgatory = DelayedOperationPurgatory[Any](
            "stress", self.timer, purge_interval=50, shards=4
        )
        self.seed = seed
        self.operation_type = operation_type
        self.operations: list[tuple[Any, list[int]]] = []  # with their keys
        self.forced: list[Any] = []
        self.abandoned: list[Any] = []
        self.errors: list[BaseException] = []

    def work(self, number: int) -> None:
        random = Random(self.seed + number)
        mine: list[Any] = []
        try:
            for _ in range(STEPS):
                self.step(random, mine)
        except BaseException as error:  # noqa: BLE001, RUF100 - for the main thread to raise
            self.errors.append(error)

    def step(self, random: Random, mine: list[Any]) -> None:
        choice = random.random()
        if choice < 0.4 or not mine:
            operation = self.operation_type(random.choice((1, 5, 40, 300, 10**6)))
            keys = random.sample(range(KEYS), random.randint(1, 4))
            mine.append(operation)
            self.operations.append((operation, keys))
            self.purgatory.try_complete_else_watch(operation, keys)
        elif choice < 0.6:
            # A recent one, which its creator may still be adding.
            operation, keys = random.choice(self.operations[-THREADS:])
            operation.completable = True
            self.purgatory.check_and_complete(random.choice(keys))
        elif choice < 0.7:
            operation, _ = random.choice(self.operations)
            if operation.force_complete():
                self.forced.append(operation)
        elif choice < 0.75:
            operation, _ = random.choice(self.operations)
            operation.abandon()
            self.abandoned.append(operation)
        elif choice < 0.9:
            self.clock.now_ms += random.random() * 3
            self.timer.advance_clock(0)
        else:
            self.purgatory.purge_if_due()
            self.timer.add(random.choice(mine))  # again, while others complete it

    def finish(self) -> None:
        """Advance past all timeouts, and purge; no key is checked again."""
        self.clock.advance_to(self.clock() + 10**7, self.timer)
        self.purgatory._begin_purge()  # noqa: SLF001 - a purge at any time
        self.purgatory._purge()  # noqa: SLF001 - a purge at any time


@pytest.mark.parametrize("operation_type", [MockOperation, MockTryLockOperation])
def test_nothing_is_lost_and_nothing_completed_twice(
    operation_type: type[Any], hectic: None
) -> None:
    """An event is never lost, every operation completes once, and nothing remains listed."""
    stress = Stress(int(os.environ.get("ANTECHAMBER_SEED", "0")), operation_type)
    threads = [Thread(target=stress.work, args=[number]) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not stress.errors
    operations = [operation for operation, _ in stress.operations]
    assert all(operation.is_completed for operation in operations if operation.completable)
    stress.finish()
    assert all(operation.is_completed for operation in operations)
    assert max(operation.completions for operation in operations) == 1
    silent = {operation for operation in operations if operation.completions == 0}
    assert silent <= set(stress.abandoned)
    assert len(stress.forced) == len(set(stress.forced))
    assert all(operation.completions == 1 for operation in stress.forced)
    assert stress.purgatory.watched() == 0
    assert stress.purgatory.statistics()["watched_keys"] == 0
    assert stress.timer.size == 0

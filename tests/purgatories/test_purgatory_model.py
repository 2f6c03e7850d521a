"""Compares the purgatory with a model of sets: waiting, listed and completed operations."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock, MockOperation

KEYS = "abcd"


class PurgatoryAgainstSets(RuleBasedStateMachine):
    """The model: `waiting` maps operations to deadlines, `listed` maps keys to operations."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.timer = SystemTimer("model", now_ms=self.clock, wheel_size=3)
        self.purgatory = DelayedOperationPurgatory[MockOperation](
            "model", self.timer, purge_interval=10**9, shards=2
        )
        self.operations: list[MockOperation] = []
        self.waiting: dict[MockOperation, float] = {}
        self.listed: dict[str, list[MockOperation]] = {key: [] for key in KEYS}
        self.expired: set[MockOperation] = set()
        self.completed: set[MockOperation] = set()
        self.abandoned: set[MockOperation] = set()

    @rule(
        keys=st.lists(st.sampled_from(KEYS), min_size=1, unique=True),
        delay_ms=st.integers(1, 200),
        completable=st.booleans(),
    )
    def watch(self, keys: list[str], delay_ms: int, completable: bool) -> None:
        operation = MockOperation(delay_ms, completable=completable)
        self.operations.append(operation)
        assert self.purgatory.try_complete_else_watch(operation, keys) is completable
        if completable:
            self.completed.add(operation)
            return
        self.waiting[operation] = self.clock() + delay_ms
        for key in keys:
            self.listed[key].append(operation)

    @precondition(lambda self: self.operations)
    @rule(data=st.data())
    def make_completable(self, data: st.DataObject) -> None:
        data.draw(st.sampled_from(self.operations)).completable = True

    @rule(key=st.sampled_from(KEYS))
    def check(self, key: str) -> None:
        done = [op for op in self.listed[key] if op.completable and not self._is_over(op)]
        assert self.purgatory.check_and_complete(key) == len(done)
        self.completed.update(done)
        for operation in done:
            self.waiting.pop(operation, None)
        self.listed[key] = [op for op in self.listed[key] if not self._is_over(op)]

    @precondition(lambda self: self.operations)
    @rule(data=st.data(), silently=st.booleans())
    def end(self, data: st.DataObject, silently: bool) -> None:
        operation = data.draw(st.sampled_from(self.operations))
        over = self._is_over(operation)
        if silently:
            operation.abandon()
        else:
            assert operation.force_complete() is not over
        if not over:
            (self.abandoned if silently else self.completed).add(operation)
            self.waiting.pop(operation, None)

    @rule(key=st.sampled_from(KEYS))
    def cancel(self, key: str) -> None:
        assert self.purgatory.cancel_for_key(key) == self.listed[key]
        for operation in self.listed[key]:
            self.waiting.pop(operation, None)
        self.listed[key] = []

    @rule(by_ms=st.integers(0, 100))
    def let_time_pass(self, by_ms: int) -> None:
        self.clock.advance_to(self.clock() + by_ms, self.timer)
        due = {op for op, deadline_ms in self.waiting.items() if deadline_ms <= self.clock()}
        self.expired |= due
        for operation in due:
            del self.waiting[operation]

    @rule()
    def purge(self) -> None:
        self.purgatory._begin_purge()  # noqa: SLF001 - a purge at any time
        self.purgatory._purge()  # noqa: SLF001 - a purge at any time
        for key, operations in self.listed.items():
            self.listed[key] = [op for op in operations if not self._is_over(op)]

    def _is_over(self, operation: MockOperation) -> bool:
        return operation in self.completed | self.expired | self.abandoned

    @invariant()
    def agrees(self) -> None:
        """All statistics agree, and each operation completes exactly once."""
        assert self.purgatory.num_delayed() == len(self.waiting)
        assert self.purgatory.watched() == sum(map(len, self.listed.values()))
        for operation in self.operations:
            assert operation.is_completed is self._is_over(operation)
            done = operation in self.completed or operation in self.expired
            assert operation.completions == done
            assert operation.expiries == (operation in self.expired)
        assert self.purgatory.expirations.total == len(self.expired)


TestPurgatoryAgainstSets = PurgatoryAgainstSets.TestCase
TestPurgatoryAgainstSets.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)

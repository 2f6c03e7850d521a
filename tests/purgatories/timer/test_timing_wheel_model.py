"""Compares the wheel with a sorted list: the same tasks run after any changes."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timing_wheel import TimingWheel
from tests.purgatories.manual_clock import LoggingTask, ManualClock


class WheelAgainstSortedList(RuleBasedStateMachine):
    """The model: (expiration, number) of every waiting task, sorted when needed."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.ran: list[int] = []
        self.tasks: list[LoggingTask] = []
        self.waiting: dict[int, float] = {}

    @initialize(
        size=st.integers(2, 5), start=st.floats(0, 1e7), tick=st.sampled_from([1, 1, 3, 0.25])
    )
    def make(self, size: int, start: float, tick: float) -> None:
        self.clock.now_ms = start
        self.tick_ms = tick
        self.timer = SystemTimer("model", now_ms=self.clock, tick_ms=tick, wheel_size=size)

    @rule(delay=st.one_of(st.integers(-5, 300), st.floats(0, 50), st.just(10**6)))
    def add(self, delay: float) -> None:
        number = len(self.tasks)
        self.tasks.append(LoggingTask(delay, number, self.ran))
        self.timer.add(self.tasks[-1])
        self.waiting[number] = self.clock() + delay

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        if self.tasks:
            number = data.draw(st.integers(0, len(self.tasks) - 1))
            overdue = self.waiting.get(number, 0) <= self.clock()
            if not overdue:  # a due task may be running already
                self.tasks[number].cancel()
                del self.waiting[number]

    @rule(data=st.data())
    def add_again(self, data: st.DataObject) -> None:
        if self.waiting:
            number = data.draw(st.sampled_from(sorted(self.waiting)))
            if self.waiting[number] > self.clock():
                task = self.tasks[number]
                self.timer.add(task)
                self.waiting[number] = self.clock() + task.delay_ms

    @rule(by=st.floats(0, 500))
    def advance(self, by: float) -> None:
        """All due tasks run; none runs early, and none is late by more than a tick."""
        before = len(self.ran)
        target = self.clock() + by
        tick = self.tick_ms
        self.clock.advance_to(target, self.timer)
        ran = self.ran[before:]
        assert len(set(ran)) == len(ran)
        must = {number for number, due in self.waiting.items() if due <= target - tick}
        may = {number for number, due in self.waiting.items() if due <= target}
        assert must <= set(ran) <= may
        for number in ran:
            del self.waiting[number]

    @invariant()
    def buckets_are_sound(self) -> None:
        """Each non-empty bucket is queued once; each entry is counted; a bucket has one id."""
        if not hasattr(self, "timer"):
            return
        queued = [bucket for _, _, bucket in self.timer._queue._heap]  # noqa: SLF001 - an invariant of the state
        assert len({id(bucket) for bucket in queued}) == len(queued)
        linked = 0
        wheel: TimingWheel | None = self.timer._wheel  # noqa: SLF001 - an invariant of the state
        while wheel is not None:
            assert wheel.now_ticks % wheel.bucket_ticks == 0
            for bucket in wheel.buckets:
                tasks = list(bucket)
                linked += len(tasks)
                if tasks:
                    assert bucket in queued
                ids = {task.expiration_ticks // wheel.bucket_ticks for task in tasks}
                assert len(ids) <= 1
                assert all(id_ * wheel.bucket_ticks == bucket.expiration_ticks for id_ in ids)
            wheel = wheel.overflow_wheel
        assert linked == self.timer.size
        assert linked + len(self.timer._due) == len(self.waiting)  # noqa: SLF001 - an invariant of the state


TestWheelAgainstSortedList = WheelAgainstSortedList.TestCase
TestWheelAgainstSortedList.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None
)

"""Random traces give equal logs with Kafka's timer and purgatory and with ours.

Each trace is a script of adds, cancels, checks and completions. Every step is logged with its
effects and the gauges after it. Times are simulated or irrelevant, so that both logs are exact.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from integration.kafka.java_program import java_command
from integration.machine.deadlines import ENDS_WITHIN_S
from integration.machine.seeds import seed_of_run
from purgatories.delayed_operation import DelayedOperation
from purgatories.purgatory import PURGE_PAUSE_MS, DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from purgatories.timer.timing_wheel import TimingWheel

pytestmark = pytest.mark.jvm

# `ANTECHAMBER_TRACES=4000` for a long run, as in `make fuzz`. Its seed is random: a failure prints
# it, and `ANTECHAMBER_SEED` sets it.
TRACES = int(os.environ.get("ANTECHAMBER_TRACES", "500"))
SEED = seed_of_run("ANTECHAMBER_TRACES")
STEPS = 40
JAVA = Path(__file__).parent / "java"
HOURS_MS = 10**8

Trace = list[list[str]]


def test_the_timer_equals_kafkas(tmp_path: Path) -> None:
    """With wheels of all sizes, the same tasks fire at the same buckets and clocks."""
    traces = _traces(_timer_trace)
    command = java_command(
        JAVA / "TimerTrace.java", "org.apache.kafka.server.util.timer.TimerTrace", tmp_path
    )
    _compare(command, traces, TimerPlayer)


def test_the_purgatory_equals_kafkas(tmp_path: Path) -> None:
    """The same checks in the same order, and the same completions, results and gauges."""
    traces = _traces(_purgatory_trace)
    command = java_command(JAVA / "PurgatoryTrace.java", "PurgatoryTrace", tmp_path)
    _compare(command, traces, PurgatoryPlayer)


def _traces(draw: Callable[[Random], Trace]) -> list[Trace]:
    print(f"ANTECHAMBER_SEED={SEED} ANTECHAMBER_TRACES={TRACES}")
    return [draw(Random(SEED + number)) for number in range(TRACES)]


def _compare(command: list[str], traces: list[Trace], player: Callable[[list[str]], Any]) -> None:
    script = "".join(" ".join(words) + "\n" for trace in traces for words in trace)
    kafka = subprocess.run(
        command, input=script, capture_output=True, text=True, check=True, timeout=ENDS_WITHIN_S
    ).stdout.splitlines()
    ours = list(_play(traces, player))
    assert len(ours) == len(kafka) == sum(map(len, traces))
    start = 0
    for trace in traces:
        end = start + len(trace)
        assert ours[start:end] == kafka[start:end]
        start = end


def _play(traces: Iterable[Trace], player: Callable[[list[str]], Any]) -> Iterator[str]:
    for trace in traces:
        playing = player(trace[0])
        yield " ".join(trace[0])
        for words in trace[1:]:
            yield playing.step(words)


# -------------------------------------------------------------------------------------- timer


def _timer_trace(random: Random) -> Trace:
    tick, size = random.choice((1, 1, 1, 5)), random.choice((2, 3, 5, 20))
    now = random.choice((0, 1000, 123_455))  # between two ticks, ours waits for the later one
    trace = [["trace", str(tick), str(size), str(now)]]
    tasks = 0
    for _ in range(STEPS):
        choice = random.random()
        if choice < 0.5 or not tasks:
            delay = random.choice((random.randint(-2, 5), random.randint(0, 500), 10**6))
            trace.append(["add", str(tasks), str(tick * delay)])
            tasks += 1
        elif choice < 0.6:
            trace.append(["add", str(random.randrange(tasks)), "0"])
        elif choice < 0.75:
            trace.append(["cancel", str(random.randrange(tasks))])
        else:
            now += tick * random.choice((0, 1, 7, 60, 450, 10_000))
            trace.append(["advance", str(now)])
    return trace


class TimerPlayer:
    """Plays a timer's trace to our timer."""

    def __init__(self, words: list[str]) -> None:
        tick, size, self.now = map(int, words[1:])
        self.timer = SystemTimer("trace", now_ms=lambda: self.now, tick_ms=tick, wheel_size=size)
        self.tasks: dict[int, Numbered] = {}
        self.fired: list[str] = []

    def step(self, words: list[str]) -> str:
        self.fired.clear()
        number = int(words[1])
        if words[0] == "add":
            if number not in self.tasks:
                self.tasks[number] = Numbered(self, number, int(words[2]))
            self.timer.add(self.tasks[number])
            self._run_due()
        elif words[0] == "cancel":
            self.tasks[number].cancel()
        else:
            self.now = number
            self.advance()
        wheel: TimingWheel | None = self.timer._wheel  # noqa: SLF001 - Kafka's trace has it
        clocks = ""
        while wheel is not None:
            clocks += f" {wheel.now_ticks * int(self.timer.tick_ms)}"
            wheel = wheel.overflow_wheel
        fired = " ".join(sorted(self.fired))
        gauges = f"size {self.timer.size} queue {len(self.timer._queue)} clocks{clocks}"  # noqa: SLF001 - Kafka's trace has it
        return f"{' '.join(words)} -> {fired} | {gauges}"

    def _run_due(self) -> None:
        """Run the tasks that were due when they were added, as Kafka's executor does."""
        self.timer._run_due()  # noqa: SLF001 - Kafka's trace has it

    def advance(self) -> None:
        """As `SystemTimer.advance_clock`, a bucket at a time, to know when each task fires."""
        wanted = self.now
        while (next_ms := self.timer.next_expiration_ms) <= wanted:
            self.now = int(next_ms)
            self.timer.advance_clock(0)
        self.now = wanted


class Numbered(TimerTask):
    """Logs when it fires, with the time of the wheel's clock."""

    def __init__(self, player: TimerPlayer, number: int, delay_ms: int) -> None:
        super().__init__(delay_ms)
        self.player = player
        self.number = number

    def run(self) -> None:
        timer = self.player.timer
        clock = timer._wheel.now_ticks * int(timer.tick_ms)  # noqa: SLF001 - Kafka's trace has it
        self.player.fired.append(f"{clock:010d}:{self.number}")


# ---------------------------------------------------------------------------------- purgatory


def _purgatory_trace(random: Random) -> Trace:
    keys = "abcdef"[: random.randint(1, 6)]
    trace = [["trace", str(random.choice((0, 1, 3, 1000)))]]
    count = 0
    for _ in range(STEPS):
        some_id, some_key = str(random.randrange(max(count, 1))), random.choice(keys)
        some_keys = random.sample(keys, random.randint(1, len(keys)))
        choice = random.random()
        if choice < 0.4 or not count:
            delay = random.choice((-HOURS_MS, -1, 0, HOURS_MS, HOURS_MS, HOURS_MS))
            ready_at = random.choice((0, 0, 0, 1, 2, 3, 4))
            chain = random.choice((*keys, "-", "-", "-"))
            trace.append(["watch", str(count), str(delay), str(ready_at), chain, *some_keys])
            count += 1
        elif choice < 0.55:
            trace.append(["ready", some_id])
        elif choice < 0.8:
            trace.append(["check", some_key])
        elif choice < 0.86:
            trace.append(["force", some_id])
        elif choice < 0.9:
            trace.append(["run", some_id])
        elif choice < 0.93:
            trace.append(["untimed", some_id])
        elif choice < 0.96:
            trace.append(["cancel", some_key])
        else:
            # Only a completed one: ours lists an operation that is watched twice only once.
            trace += [["force", some_id], ["again", some_id, *some_keys]]
    return trace


class PurgatoryPlayer:
    """Plays a purgatory's trace to our purgatory, which may purge after every step."""

    def __init__(self, words: list[str]) -> None:
        self.now_ms = 10**9
        self.timer = SystemTimer("trace", now_ms=lambda: self.now_ms)
        self.purgatory = DelayedOperationPurgatory[Operation](
            "trace", self.timer, purge_interval=int(words[1])
        )
        self.operations: dict[int, Operation] = {}
        self.events: list[str] = []

    def step(self, words: list[str]) -> str:
        self.events.clear()
        result = self._act(words)
        self.now_ms += PURGE_PAUSE_MS
        self.timer.advance_clock(0)
        self.purgatory.purge_if_due()
        shown = result if isinstance(result, str) else str(result).lower()
        return (
            f"{' '.join(words)} -> {shown} [{' '.join(self.events)}] "
            f"watched {self.purgatory.watched()} delayed {self.purgatory.num_delayed()}"
        )

    def _act(self, words: list[str]) -> str | bool | int:
        name, subject, *rest = words
        if name == "check":
            return self.purgatory.check_and_complete(subject)
        if name == "cancel":
            cancelled = self.purgatory.cancel_for_key(subject)
            return ",".join(str(operation.number) for operation in cancelled)
        if name == "watch":
            delay_ms, ready_at, chain, *keys = rest
            operation = Operation(self, int(subject), int(delay_ms), int(ready_at), chain)
            self.operations[int(subject)] = operation
            return self.purgatory.try_complete_else_watch(operation, keys)
        operation = self.operations[int(subject)]
        if name == "again":
            return self.purgatory.try_complete_else_watch(operation, rest)
        if name == "force":
            return operation.force_complete()
        if name == "ready":
            operation.ready = True
        elif name == "run":
            operation.run()
        else:
            assert name == "untimed"
            operation.cancel()
        return ""


class Operation(DelayedOperation):
    """Completes by a step or at a given check; may cause a check of another key."""

    def __init__(
        self, player: PurgatoryPlayer, number: int, delay_ms: int, ready_at: int, chain: str
    ) -> None:
        super().__init__(delay_ms)
        self.player = player
        self.number = number
        self.ready_at = ready_at
        self.chain = chain
        self.ready = False
        self.requested = 0

    def try_complete(self) -> bool:
        self.player.events.append(f"try:{self.number}")
        self.requested += 1
        return (self.ready or self.requested == self.ready_at) and self.force_complete()

    def on_complete(self) -> None:
        self.player.events.append(f"complete:{self.number}")
        if self.chain != "-":
            completed = self.player.purgatory.check_and_complete(self.chain)
            self.player.events.append(f"chain:{completed}")

    def on_expiration(self) -> None:
        self.player.events.append(f"expire:{self.number}")

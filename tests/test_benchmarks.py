"""The parts of the benchmarks that compute: percentiles, the table, and the order of rounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import rounds
from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.chain import PRODUCE, Step, chain
from benchmarks.rounds import Rounds, run
from benchmarks.stamped_broker import WAIT, Stamp
from benchmarks.systems import System
from benchmarks.table import table


class _Server:
    """Counts how often it is closed."""

    bootstrap = ""

    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        """Count."""
        self.closed += 1


def _run(
    monkeypatch: pytest.MonkeyPatch, count: int, *benchmarks: Benchmark, warm_up_rounds: int = 0
) -> tuple[rounds.Outcome, list[_Server]]:
    """Measure ours and Kafka, which warms up for so many rounds."""
    servers: list[_Server] = []

    def start() -> _Server:
        servers.append(_Server())
        return servers[-1]

    def available(_nodes: int, _compiled: Path | None) -> list[System]:
        ours = System("ours", start)  # type: ignore[arg-type]  # no process
        kafka = System("Kafka", start, warm_up_rounds=warm_up_rounds)  # type: ignore[arg-type]  # no process
        return [ours, kafka]

    monkeypatch.setattr(rounds, "available", available)
    return run(benchmarks, Rounds(count, quick=False, systems=("ours", "Kafka"))), servers


class _Recorder:
    """A benchmark whose figure is the number of its measurements, of which *order* has all."""

    def __init__(self, *, warms_up: bool = True) -> None:
        self.order: list[tuple[str, float]] = []
        metrics = (Metric("figure", "s"),)
        self.benchmark = Benchmark("one", metrics, self._measure, warms_up=warms_up)

    def _measure(self, system: System, scale: float) -> Sample:
        self.order.append((system.name, scale))
        return {"figure": float(len(self.order))}


@pytest.mark.parametrize(("percent", "expected"), [(0, 1.0), (50, 3.0), (99, 5.0), (100, 5.0)])
def test_a_percentile_is_one_of_the_values(percent: float, expected: float) -> None:
    """It is the nearest rank, and the largest value at the end."""
    assert percentile([5.0, 3.0, 1.0, 4.0, 2.0], percent) == expected


def test_a_row_has_medians_ranges_and_ratios() -> None:
    """A plus marks the ratio of a metric in which ours is better."""
    metrics = (Metric("latency", "us"), Metric("throughput", "MB/s", "higher"))
    samples = {
        "latency": {"ours": [2.0, 1.0, 30.0], "Kafka": [4.0, 5.0, 3.0]},
        "throughput": {"ours": [100.0], "Kafka": [200.0]},
    }

    lines = table(metrics, ["ours", "Kafka"], samples).splitlines()

    assert lines[1].split("  ")[0] == "latency"
    assert "2 [1 .. 30]" in lines[1]
    assert "4 [3 .. 5]" in lines[1]
    assert lines[1].endswith("0.50 +")
    assert lines[2].endswith("0.50 -")


def test_a_system_without_figures_has_dashes() -> None:
    """Neither its cell nor its ratio has a figure."""
    lines = table([Metric("latency", "us")], ["ours", "mock"], {"latency": {"ours": [1.0]}})

    assert lines.splitlines()[1].split() == ["latency", "us", "v", "1", "-", "-"]


def test_systems_alternate_and_the_first_round_is_discarded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each round measures every system; they change places from round to round."""
    recorder = _Recorder()
    outcome, _ = _run(monkeypatch, 2, recorder.benchmark)

    assert recorder.order == [
        ("ours", rounds.WARM_UP_SCALE),
        ("Kafka", rounds.WARM_UP_SCALE),
        ("Kafka", 1.0),
        ("ours", 1.0),
        ("ours", 1.0),
        ("Kafka", 1.0),
    ]
    assert outcome.results == {"figure": {"ours": [4.0, 5.0], "Kafka": [3.0, 6.0]}}


def test_a_system_that_warms_up_has_rounds_of_its_own_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their figures are not kept."""
    recorder = _Recorder()
    outcome, _ = _run(monkeypatch, 1, recorder.benchmark, warm_up_rounds=2)

    assert recorder.order[:4] == [
        ("Kafka", 1.0),
        ("Kafka", 1.0),
        ("ours", rounds.WARM_UP_SCALE),
        ("Kafka", rounds.WARM_UP_SCALE),
    ]
    assert outcome.results == {"figure": {"ours": [6.0], "Kafka": [5.0]}}


def test_a_benchmark_that_starts_its_servers_warms_none_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first measurement is that of the discarded round."""
    recorder = _Recorder(warms_up=False)
    _run(monkeypatch, 1, recorder.benchmark, warm_up_rounds=2)

    assert recorder.order[0] == ("ours", rounds.WARM_UP_SCALE)


def test_a_system_that_fails_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other systems are, and the failure is reported by name."""

    def measure(system: System, _scale: float) -> Sample:
        if system.name == "ours":
            raise RuntimeError("broken")
        return {"figure": 1.0}

    outcome, _ = _run(monkeypatch, 2, Benchmark("one", (Metric("figure", "s"),), measure))

    assert outcome.failed == ["one on ours"]
    assert outcome.results == {"figure": {"Kafka": [1.0, 1.0]}}


def test_a_system_that_does_not_start_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are measured, and the failure is reported."""

    def start() -> _Server:
        raise RuntimeError("no memory")

    def available(_nodes: int, _compiled: Path | None) -> list[System]:
        return [System("ours", _Server), System("Kafka", start)]  # type: ignore[arg-type]  # no process

    def measure(_system: System, _scale: float) -> Sample:
        return {"figure": 1.0}

    monkeypatch.setattr(rounds, "available", available)
    benchmark = Benchmark("one", (Metric("figure", "s"),), measure)
    outcome = run([benchmark], Rounds(1, quick=False, systems=("ours", "Kafka")))

    assert outcome.results == {"figure": {"ours": [1.0]}}
    assert outcome.failed == ["the start of Kafka"]


def test_benchmarks_share_servers_unless_they_need_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two shared servers and two of its own; all of them are closed once."""

    def measure(_system: System, _scale: float) -> Sample:
        return {}

    given = (
        Benchmark("first", (), measure),
        Benchmark("alone", (), measure, own_servers=True),
        Benchmark("second", (), measure),
    )

    _, servers = _run(monkeypatch, 1, *given)

    assert [server.closed for server in servers] == [1] * 4


def test_a_chain_has_the_medians_of_the_most_frequent_steps() -> None:
    """A request begins with the end of the wait in which it arrived; others are left out."""

    def request(at_us: int, *, takes_us: int, is_odd: bool = False) -> list[Stamp]:
        name = "other" if is_odd else "send"
        steps = [(WAIT, False), (PRODUCE, True), (name, True), (name, False), (PRODUCE, False)]
        times = [0, 1, 2, 2 + takes_us, 20]
        waits = (WAIT, True, (at_us + 30) * 1000)
        return [
            *((*step, (at_us + after) * 1000) for step, after in zip(steps, times, strict=True)),
            waits,
        ]

    stamps = [
        *request(0, takes_us=3),
        *request(100, takes_us=9, is_odd=True),
        *request(200, takes_us=5),
        *request(300, takes_us=4),
        *request(400, takes_us=8),
    ]

    assert chain(stamps) == [
        Step(0, PRODUCE, 1, 19),
        Step(1, "send", 2, 4),
        Step(0, WAIT, 30, 70),
    ]

"""Each benchmark runs for a moment on this broker and has a figure for each of its metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import round_trip
from benchmarks.benchmark import Benchmark
from benchmarks.builds import ROOT
from benchmarks.every_benchmark import BENCHMARKS
from benchmarks.kfake import Kfake, missing_for_kfake
from benchmarks.systems import System, available
from benchmarks.systems_with_tls import available_with_tls
from benchmarks.without_fault_hooks import broker_without_hooks
from integration.machine.requirements import need
from integration.processes.antechamber import Antechamber
from integration.wire.connection import Connection
from integration.wire.requests import metadata

pytestmark = pytest.mark.long

MOMENT = 0.02


@pytest.fixture
def _nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of the compiled build are measured with the source; to compile it takes minutes."""
    monkeypatch.setattr("benchmarks.storage.CANNOT_COMPILE", False)
    monkeypatch.setattr("benchmarks.storage.compiled_packages", lambda: ROOT)


@pytest.mark.usefixtures("_nothing_is_compiled")
@pytest.mark.parametrize("benchmark_", BENCHMARKS.values(), ids=lambda each: each.name)
def test_a_benchmark_measures_all_its_metrics(benchmark_: Benchmark) -> None:
    """On this broker every metric is supported."""
    found = available_with_tls() if benchmark_.tls else available(benchmark_.nodes)
    ours = next(system for system in found if system.name == "ours")
    ours.server = ours.start()
    try:
        sample = benchmark_.measure(ours, MOMENT)
    finally:
        ours.server.close()

    assert set(sample) == {metric.name for metric in benchmark_.metrics}


def test_kfake_is_built_and_serves() -> None:
    """A produce latency of kfake can be measured."""
    need("go", missing_for_kfake())
    kfake = System("kfake", Kfake)
    kfake.server = kfake.start()
    try:
        sample = round_trip.measure(kfake, MOMENT)
    finally:
        kfake.server.close()

    assert sample["serial acks=all p50"] > 0


@pytest.mark.parametrize(("has_hooks", "fired"), [(True, 1), (False, 0)])
def test_only_a_broker_with_the_hooks_of_fault_rules_obeys_a_rule(
    has_hooks: bool, fired: int, tmp_path: Path
) -> None:
    """The benchmark of fault rules compares the processor time of both."""
    rule = {"match": {"api": "Metadata"}, "action": {"type": "delay", "ms": 1}}
    with (
        Antechamber() if has_hooks else broker_without_hooks(tmp_path) as broker,
        Connection(broker.bootstrap) as connection,
    ):
        broker.admin.call("POST", "/v1/faults", body={"rules": [rule]})
        connection.request(metadata([]))
        rules = broker.admin.call("GET", "/v1/faults")["rules"]
    assert [each["fired"] for each in rules] == [fired]

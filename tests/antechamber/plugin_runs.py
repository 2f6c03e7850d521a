"""Runs of pytest inside a test, with the plugin and fake clusters."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

import pytest

from antechamber import cluster, running_cluster
from antechamber.handle import Handle, Node


class FakeClock:
    """A clock whose speed a test sets."""

    speed = 1
    now_us = 1000

    def state(self) -> dict[str, Any]:
        return {"speed": self.speed, "now_us": self.now_us}

    def run(self) -> None:
        self.speed = 1


class FakeFaults:
    """The fault rules of a cluster."""

    def __init__(self) -> None:
        self.rules = [{"id": 1}]

    def all(self) -> list[dict[str, Any]]:
        return self.rules

    def clear(self) -> None:
        self.rules = []


class FakeCluster(Handle):
    """Keeps its options and the calls; tests set the states of its nodes."""

    made: list[FakeCluster]

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.is_running = True
        self.states = {1: "running", 2: "running", 3: "running"}
        self.done: list[str] = []
        self._clock = FakeClock()
        self._faults = FakeFaults()
        FakeCluster.made.append(self)

    @property
    def admin(self) -> str:
        return "http://127.0.0.1:1"

    @property
    def faults(self) -> Any:
        return self._faults

    @property
    def clock(self) -> Any:
        return self._clock

    def cluster(self) -> dict[str, Any]:
        return {"nodes": [{"id": node, "state": state} for node, state in self.states.items()]}

    def resume(self, node: int | Node) -> None:
        self.done.append(f"resume {node}")

    def start(self, node: int | Node) -> None:
        self.done.append(f"start {node}")

    def wait_in_sync(self, *_: Any, **__: Any) -> None:
        self.done.append("wait_in_sync")

    def reset(self, prefix: str | None = None) -> dict[str, Any]:
        self.done.append("reset" if prefix is None else f"reset {prefix}")
        return {}

    def report(self, since_us: int = 0) -> str:
        return f"a report since {since_us}"

    def export_trace(self, path: str | os.PathLike[str], since_us: int = 0) -> int:
        Path(path).write_text(f"a trace since {since_us}")
        return 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.done.append("close")


def use_fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the plugin start fake clusters, and load no other plugin."""
    FakeCluster.made = []
    monkeypatch.setattr(cluster, "Cluster", FakeCluster)
    monkeypatch.setattr(running_cluster, "RunningCluster", FakeCluster)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the others take a second to import
    monkeypatch.setenv("PYTEST_PLUGINS", "antechamber.pytest_plugin")


def run(pytester: pytest.Pytester, tests: str, *options: str) -> pytest.RunResult:
    """Run pytest on a file with these tests."""
    pytester.makepyfile("import pytest\nmark = pytest.mark.antechamber\n" + tests)
    return pytester.runpytest_inprocess("--strict-markers", "-p", "no:cacheprovider", *options)


def dedented(tests: str) -> str:
    """The tests without their indentation."""
    return "\n".join(line.removeprefix("    ") for line in tests.splitlines())

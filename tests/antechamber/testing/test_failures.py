"""The trace files of failed tests, with an admin interface in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from antechamber.running_cluster import RunningCluster
from antechamber.testing.failures import add_reports, times
from tests.admin_server import serving
from tests.antechamber.trace.trace_format import check_trace
from tests.facts import FakeClock, FakeFacts, completed_fetch


class Clock(FakeClock):
    """A clock with a time."""

    def state(self) -> dict[str, Any]:
        return {"speed": 1, "now_us": 47}


@pytest.fixture
def handle() -> Iterator[RunningCluster]:
    """A cluster with the record of one request."""
    facts = FakeFacts()
    facts.clock = Clock()
    facts.completed = [completed_fetch()]
    with serving(facts) as url:
        yield RunningCluster(url)


def failed(*handles: RunningCluster, folder: Path | None) -> Any:
    """The report of a failed test, and its properties."""
    report: Any = SimpleNamespace(sections=[])
    item: Any = SimpleNamespace(nodeid="test_orders.py::test_one", user_properties=[])
    add_reports(report, item, dict.fromkeys(handles, 0), folder)
    return SimpleNamespace(sections=report.sections, properties=dict(item.user_properties))


def test_the_trace_is_a_file(handle: RunningCluster, tmp_path: Path) -> None:
    """The report has its path."""
    found = failed(handle, folder=tmp_path / "new")

    path = tmp_path / "new" / "test_orders-py-test_one.json"
    assert found.properties["antechamber_trace"] == str(path)
    [(title, text)] = found.sections
    assert title == f"Kafka cluster at {handle.admin}"
    assert text.endswith(f"\nTrace, for ui.perfetto.dev: {path}")
    assert check_trace(json.loads(path.read_text()))


def test_a_trace_is_not_replaced(handle: RunningCluster, tmp_path: Path) -> None:
    """A test that is repeated, or that uses two clusters, has several."""
    for _ in range(2):
        failed(handle, folder=tmp_path)

    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "test_orders-py-test_one-2.json",
        "test_orders-py-test_one.json",
    ]


def test_without_a_folder_there_is_no_trace(handle: RunningCluster) -> None:
    """The report has the rest."""
    found = failed(handle, folder=None)

    assert "The longest waits:" in found.sections[0][1]
    assert "antechamber_trace" not in found.properties


def test_a_cluster_that_is_gone_has_no_trace(tmp_path: Path) -> None:
    """The report says that it does not respond."""
    with serving(FakeFacts()) as url:
        handle = RunningCluster(url)
    found = failed(handle, folder=tmp_path)

    assert found.sections[0][1].startswith("not known: no broker at ")
    assert list(tmp_path.iterdir()) == []


def test_the_times_of_clusters(handle: RunningCluster) -> None:
    """By their clocks; 0 if a cluster does not respond."""
    with serving(FakeFacts()) as url:
        gone = RunningCluster(url)

    assert times([handle, gone]) == {handle: 47, gone: 0}

"""Adds a report of its clusters, with the path of a trace file, to the report of a failed test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from antechamber.admin_client import AdminError, NoBroker
from antechamber.handle import Handle
from antechamber.testing.names import readable

if TYPE_CHECKING:
    import pytest

_NAME_CHARACTERS_MAX = 120


def times(handles: Iterable[Handle]) -> dict[Handle, int]:
    """The present time of each cluster by its clock, in microseconds; 0 if it is not reachable."""
    return {handle: _now_us(handle) for handle in handles}


def add_reports(
    report: pytest.TestReport,
    item: pytest.Item,
    handles: Mapping[Handle, int],
    folder: Path | None,
) -> None:
    """Add a section for each of the *handles* to a report, and properties for the JUnit file.

    The values of *handles* are the times at which the test began. Traces are written to *folder*,
    unless it is None.
    """
    for handle, since_us in handles.items():
        text = handle.report(since_us)
        path = None if folder is None else _trace(handle, since_us, folder, item.nodeid)
        if path is not None:
            text += f"\nTrace, for ui.perfetto.dev: {path}"
            item.user_properties.append(("antechamber_trace", str(path)))
        item.user_properties.append(("antechamber_report", text))
        report.sections.append((f"Kafka cluster at {handle.admin}", text))


def _now_us(handle: Handle) -> int:
    try:
        return int(handle.clock.state()["now_us"])
    except (AdminError, NoBroker):
        return 0


def _trace(handle: Handle, since_us: int, folder: Path, test_id: str) -> Path | None:
    """The path of the trace; None if the cluster is not reachable."""
    folder.mkdir(parents=True, exist_ok=True)
    path = _new_file(folder, readable(test_id, _NAME_CHARACTERS_MAX))
    try:
        handle.export_trace(path, since_us)
    except (AdminError, NoBroker):
        path.unlink()
        return None
    return path


def _new_file(folder: Path, name: str) -> Path:
    """Create an empty file; with a number if the test has failed before."""
    for number in count(1):
        path = folder / (f"{name}.json" if number == 1 else f"{name}-{number}.json")
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        return path
    raise AssertionError("a count has no end")

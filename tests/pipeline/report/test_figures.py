"""The figures of the findings as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.report.figures import write_figures
from tests.pipeline.found import api, findings


def test_the_figures_of_an_api(tmp_path: Path) -> None:
    """Times are in milliseconds; each set is an object."""
    path = tmp_path / "figures.json"
    write_figures(str(path), [findings("a", api("Fetch", [100] * 3 + [120])), findings("b")])

    written = json.loads(path.read_text())
    assert [each["name"] for each in written["sets"]] == ["a", "b"]
    assert written["sets"][0]["apis"]["Fetch"] == {
        "requests": 4,
        "parked": 0,
        "timeouts": 0,
        "mean_ms": 0.105,
        "p50_ms": 0.1,
        "p90_ms": 0.12,
        "p99_ms": 0.12,
        "p99_9_ms": 0.12,
        "max_ms": 0.12,
        "mean_phases": {"total_ms": 0.105},
    }
    assert written["sets"][1]["requests"] == 0

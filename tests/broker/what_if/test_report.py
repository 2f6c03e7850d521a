"""The report of a prediction."""

from __future__ import annotations

import json

from broker.what_if.report import figures, json_text, report, table
from broker.what_if.settings import UNCHANGED, Settings

RECORDED = {"Fetch": [float(each) for each in range(1, 101)]}
UNCHANGED_LATENCIES = {"Fetch": [each + 0.5 for each in RECORDED["Fetch"]]}
CHANGED = {"Fetch": [10.0]}


def test_percentiles_are_latencies_that_occurred() -> None:
    """By nearest rank."""
    found = {"requests": 100, "p50": 50, "p90": 90, "p99": 99, "max": 100}
    assert figures(RECORDED["Fetch"]) == found
    assert figures([]) == {"requests": 0, "p50": 0, "p90": 0, "p99": 0, "max": 0}


def test_the_error_of_the_unchanged_prediction_is_first() -> None:
    """Then what was recorded, and both predictions."""
    settings = Settings(max_wait_ms=10)
    text = table(report(RECORDED, UNCHANGED_LATENCIES, CHANGED, settings))

    assert text.splitlines() == [
        "what if max.wait.ms 10?",
        "milliseconds              requests        p50        p90        p99        max",
        "Fetch: error                             +0.5       +0.5       +0.5       +0.5",
        "  recorded                     100       50.0       90.0       99.0      100.0",
        "  predicted, unchanged         100       50.5       90.5       99.5      100.5",
        "  predicted, changed             1       10.0       10.0       10.0       10.0",
    ]


def test_without_changes_only_the_error_is_shown() -> None:
    """It shows how far predictions from the recording can be trusted."""
    facts = report(RECORDED, UNCHANGED_LATENCIES, None, UNCHANGED)

    assert table(facts).startswith("nothing is changed\n")
    assert "predicted, changed" not in table(facts)


def test_json_has_the_figures_of_the_table() -> None:
    """And only the settings that were given."""
    facts = json.loads(
        json_text(report(RECORDED, UNCHANGED_LATENCIES, CHANGED, Settings(min_bytes=0)))
    )

    assert (facts["settings"], facts["unit"]) == ({"min_bytes": 0}, "ms")
    assert list(facts["apis"]["Fetch"]) == ["error", "recorded", "unchanged", "changed"]
    assert facts["apis"]["Fetch"]["error"]["p50"] == 0.5

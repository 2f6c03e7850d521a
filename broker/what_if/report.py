"""Percentiles of recorded and predicted latencies, as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import ceil
from typing import Any

from broker.what_if.replay import Latencies
from broker.what_if.settings import Settings

Figures = Mapping[str, float]

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
_ROW = "{:<24}{:>10}{:>11}{:>11}{:>11}{:>11}\n"


def report(
    recorded: Latencies, unchanged: Latencies, changed: Latencies | None, settings: Settings
) -> dict[str, Any]:
    """The figures of each API in milliseconds; without *changed* those of it are left out."""
    apis: dict[str, Any] = {}
    for api, latencies in recorded.items():
        was, predicted = figures(latencies), figures(unchanged[api])
        apis[api] = {
            "error": {name: round(predicted[name] - was[name], 3) for name in QUANTILES},
            "recorded": was,
            "unchanged": predicted,
        }
        if changed is not None:
            apis[api]["changed"] = figures(changed[api])
    given = {name: value for name, value in asdict(settings).items() if value is not None}
    return {"settings": given, "unit": "ms", "apis": apis}


def figures(latencies: Sequence[float]) -> dict[str, float]:
    """The number of ``requests``, and percentiles by nearest rank; all 0 without requests."""
    ordered = sorted(latencies)
    found: dict[str, float] = {"requests": len(ordered)}
    for name, quantile in QUANTILES.items():
        rank = max(0, ceil(quantile * len(ordered)) - 1)
        found[name] = round(ordered[rank], 3) if ordered else 0.0
    return found


def json_text(facts: Mapping[str, Any]) -> str:
    """The report as JSON."""
    return json.dumps(facts, indent=2) + "\n"


def table(facts: Mapping[str, Any]) -> str:
    """The report as text: for each API first the error of the prediction, then the figures."""
    given = facts["settings"].items()
    changes = ", ".join(f"{name.replace('_', '.')} {value}" for name, value in given)
    lines = [f"what if {changes}?\n" if changes else "nothing is changed\n"]
    lines.append(_ROW.format("milliseconds", "requests", *QUANTILES))
    for api, found in facts["apis"].items():
        lines += _rows(api, found, changes)
    return "".join(lines)


def _rows(api: str, found: Mapping[str, Any], changes: str) -> Iterator[str]:
    error = found["error"]
    signed = [f"{error[name]:+.1f}" for name in QUANTILES]
    yield _ROW.format(f"{api}: error", "", *signed)
    named = {"recorded": "recorded", "unchanged": "predicted, unchanged"}
    if changes:
        named["changed"] = "predicted, changed"
    for key, name in named.items():
        numbers = found[key]
        cells = [f"{numbers[each]:,.1f}" for each in QUANTILES]
        yield _ROW.format(f"  {name}", f"{numbers['requests']:,}", *cells)

"""The figures of the findings as JSON, for scripts and checks in CI; times in milliseconds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.errors import PipelineError
from pipeline.report.findings import Api, Findings

SCHEMA = 1


def write_figures(path: str, sets: Sequence[Findings]) -> None:
    """Write the figures of all sets; raises `PipelineError` if that is impossible."""
    try:
        Path(path).write_text(json.dumps(figures(sets), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise PipelineError(f"--summary {path}: {error.strerror}") from None


def figures(sets: Sequence[Findings]) -> dict[str, Any]:
    """The figures of each set: its requests, and those of each API with percentiles."""
    return {"schema": SCHEMA, "sets": [_of_set(each) for each in sets]}


def _of_set(found: Findings) -> dict[str, Any]:
    return {
        "name": found.name,
        "requests": found.requests,
        "parked": found.parked,
        "timeouts": found.timeouts,
        "malformed": found.malformed,
        "apis": {api.name: _of_api(api) for api in found.apis},
    }


def _of_api(api: Api) -> dict[str, Any]:
    times = {f"{name}_ms": _ms(value) for name, value in api.total.items()}
    phases = {f"{name}_ms": _ms(mean) for name, mean in api.phases.items()}
    return {
        "requests": api.count,
        "parked": api.parked,
        "timeouts": api.timeouts,
        "mean_ms": _ms(api.mean_us),
        **times,
        "mean_phases": phases,
    }


def _ms(us: float) -> float:
    return round(us / 1000, 3)

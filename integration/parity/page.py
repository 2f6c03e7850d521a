"""docs/reference/parity.md: the outcomes of `make parity`, by scenario."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from integration.kafka.jars import KAFKA_VERSION
from integration.parity.runner import Outcome
from integration.parity.scenario import Scenario
from integration.parity.verdict import reason, verdict

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "parity.md"

_HEAD = f"""\
<!-- written by `make parity`; change the code instead -->

# Parity with Apache Kafka {KAFKA_VERSION}

Each scenario runs on this broker and on a real Apache Kafka {KAFKA_VERSION}. The responses of both
are compared line by line: error codes, offsets, high watermarks, records, the order of responses,
and when each response was sent: at once, after the last request, or at its timeout. Error messages
are compared too.

Scenarios are functions in `integration/parity/scenarios/`; `make parity ARGS="NAME"` runs one.
"""


def write_page(outcomes: Sequence[Outcome]) -> None:
    """Write the page."""
    PAGE.write_text(page(outcomes))


def page(outcomes: Sequence[Outcome]) -> str:
    """The page: a summary, then a table for each area."""
    parts = [_HEAD, _summary(outcomes)]
    ordered = sorted(outcomes, key=lambda outcome: _place(outcome.scenario))
    for area, rows in groupby(ordered, key=lambda outcome: outcome.scenario.area):
        parts += [f"## {area.capitalize()}\n", _table(rows)]
    return "\n".join(parts)


def names_on_the_page() -> list[str]:
    """The scenarios of the page, in order."""
    rows = (line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `"))
    return [cells[1].strip().strip("`") for cells in rows]


def _place(scenario: Scenario) -> tuple[int, str]:
    return scenario.setup.nodes, scenario.area


def _summary(outcomes: Sequence[Outcome]) -> str:
    counts: dict[str, int] = {}
    for outcome in outcomes:
        result = verdict(outcome)
        counts[result] = counts.get(result, 0) + 1
    counted = ", ".join(f"{count} {result}" for result, count in counts.items())
    return f"{len(outcomes)} scenarios on one and on three nodes: {counted}.\n"


def _table(outcomes: Iterable[Outcome]) -> str:
    lines = ["| scenario | behaviour | verdict | reason |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{outcome.scenario.name}` | {outcome.scenario.summary} | {verdict(outcome)} "
        f"| {reason(outcome)} |"
        for outcome in outcomes
    ]
    return "\n".join(lines) + "\n"

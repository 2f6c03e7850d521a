"""The page docs/explanation/atlas.md, from the rows that the experiments have measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypedDict

from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.experiments import EXPERIMENTS

PAGE = Path(__file__).parent.parent.parent / "docs/explanation/atlas.md"
FOLDER = PAGE.with_suffix("")

_HEAD = """\
<!-- Written by `make atlas`; the text is in benchmarks/atlas/. -->

# The latency atlas

Each section is one experiment: a claim, the command that repeats it, and what it has measured.
`make atlas` runs all of them and writes this page. An experiment fails if its figures do not show
the claim; a test runs each at a smaller size. Below each table is how its figures were measured:

- In virtual time, in which processing takes no time, and with the latencies of the broker's own
  [wait records](../reference/records.md): these figures show where waiting comes from, not how fast
  a machine is, and all of them are of this broker.
- In real time, where the figures depend on the machine and on its load at that time, so only their
  ratios are meaningful. Experiments with the column `broker` measure this broker and, if the
  machine has a JVM, a real Kafka; each curve is labelled with its broker.
"""


class Measured(TypedDict):
    """The content of the JSON file of an experiment."""

    environment: str
    rows: list[Any]


def page() -> str:
    """The text of the page."""
    return "\n".join([_HEAD, *(_section(each) for each in EXPERIMENTS.values())])


def _section(experiment: Experiment[Any]) -> str:
    name = experiment.name
    measured: Measured = json.loads((FOLDER / f"{name}.json").read_text())
    lines = [
        f"## {experiment.title}\n",
        f"*{experiment.claim}*\n",
        f"```sh\npython -m benchmarks.atlas {name}\n```\n",
        f"{experiment.sentences}\n",
        f"![{experiment.title}: the figures of the table below](atlas/{name}.svg)\n",
        _line(experiment.columns),
        _line(["---"] * len(experiment.columns)),
        *(_line([_cell(value) for value in row]) for row in measured["rows"]),
        f"\nMeasured with {measured['environment']}.\n",
    ]
    return "\n".join(lines)


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)

"""The experiments of the atlas in virtual time, at a small size, show their claims."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import pytest

from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.experiments import EXPERIMENTS
from benchmarks.atlas.page import FOLDER
from benchmarks.atlas.plots import draw
from tests.purgatories.builds import only_pure

VIRTUAL = [each for each in EXPERIMENTS.values() if each.is_virtual]
# One tries the interleavings of the steps that Python traces.
_TRACED = only_pure("Python traces no steps of compiled functions")
CHECKED = [
    pytest.param(each, marks=_TRACED) if each.name == "lost_wakeup" else each for each in VIRTUAL
]


@cache
def _measured(experiment: Experiment[Any]) -> list[Any]:
    """The rows at a small size."""
    return experiment.measure(experiment.small_size)


@pytest.mark.parametrize("experiment", CHECKED, ids=lambda each: each.name)
def test_an_experiment_shows_its_claim(experiment: Experiment[Any]) -> None:
    """Its check accepts the rows, which have a value for each column."""
    rows = _measured(experiment)

    experiment.check(rows)

    assert {len(row) for row in rows} == {len(experiment.columns)}


@pytest.mark.parametrize("experiment", VIRTUAL, ids=lambda each: each.name)
def test_a_plot_is_readable_in_both_modes(experiment: Experiment[Any]) -> None:
    """It has a title, and each of its colours has a variant for the dark mode."""
    text = draw(experiment, _measured(experiment))
    root = ET.fromstring(text)

    assert root.findtext("{http://www.w3.org/2000/svg}title") == experiment.title
    body = text.split("</style>", 1)[1]
    assert "prefers-color-scheme: dark" in text
    assert "var(--ink)" in body
    assert "fill: #" not in body
    assert "stroke: #" not in body


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=lambda each: each.name)
def test_the_page_has_a_plot_and_figures(experiment: Experiment[Any]) -> None:
    """`make atlas` has been run since the experiment was added or its columns were changed."""
    measured = json.loads((FOLDER / f"{experiment.name}.json").read_text())

    assert (FOLDER / f"{experiment.name}.svg").exists()
    assert {len(row) for row in measured["rows"]} == {len(experiment.columns)}

"""Figures in the text are those of the page of measured speed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parent.parent.parent
METRICS = json.loads((ROOT / "docs/reference/speed/start.json").read_text())["metrics"]
START_S, MEMORY_MB = METRICS["start to first response"], METRICS["resident, fresh"]


@pytest.mark.parametrize(
    ("system", "row"),
    [
        ("ours", "antechamber"),
        ("mock", "librdkafka's mock cluster"),
        ("Kafka", "Apache Kafka 4.3"),
        ("kfake", "kfake"),
    ],
)
def test_the_comparison_has_the_medians(system: str, row: str) -> None:
    """Of the time of a start, to two digits, and of the memory."""
    text = (ROOT / "docs/comparison.md").read_text()
    [(start, memory)] = re.findall(rf"^\| {row} \|.*\| (\S+) s, (\d+) MB \|$", text, re.MULTILINE)

    assert float(start) == pytest.approx(median(START_S[system]), rel=0.05, abs=0.01)
    assert int(memory) == round(median(MEMORY_MB[system]))


@pytest.mark.parametrize(
    ("page", "form"),
    [
        (
            "README.md",
            "A start takes {start:.1f} s and {memory:.0f} MB, a ninth and a sixth of Kafka's",
        ),
        ("docs/how-to/pytest.md", "A cluster takes {memory:.0f} MB and {start:.1f} s"),
    ],
)
def test_a_page_has_the_medians(page: str, form: str) -> None:
    """Of the time of a start and of the memory, and their ratios to Kafka's."""
    start, memory = median(START_S["ours"]), median(MEMORY_MB["ours"])

    assert form.format(start=start, memory=memory) in (ROOT / page).read_text()
    assert round(median(START_S["Kafka"]) / start) == 9
    assert round(median(MEMORY_MB["Kafka"]) / memory) == 6

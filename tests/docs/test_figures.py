"""Figures in the text are those of the page of measured speed."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import pytest

from benchmarks.results import read

ROOT = Path(__file__).parent.parent.parent


def _metrics(benchmark: str) -> dict[str, dict[str, list[float]]]:
    measured = read(benchmark)
    assert measured is not None
    return measured["metrics"]


METRICS = _metrics("start")
START_S, MEMORY_MB = METRICS["start to first response"], METRICS["resident, fresh"]
SERIAL_US = _metrics("round_trip")["serial acks=all p50"]
WAKE_UP_US = _metrics("wake_up")["wake-up p50"]


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
            "A start takes {start:.1f} s and {memory:.0f} MB, a tenth and a seventh of Kafka's",
        ),
        ("docs/how-to/pytest.md", "A cluster takes {memory:.0f} MB and {start:.1f} s"),
    ],
)
def test_a_page_has_the_medians(page: str, form: str) -> None:
    """Of the time of a start and of the memory, and their ratios to Kafka's."""
    start, memory = median(START_S["ours"]), median(MEMORY_MB["ours"])

    assert form.format(start=start, memory=memory) in (ROOT / page).read_text()
    assert round(median(START_S["Kafka"]) / start) == 10
    assert round(median(MEMORY_MB["Kafka"]) / memory) == 7


def test_the_comparison_has_the_ratios_to_kfake() -> None:
    """Of the latency of both builds, to one digit after the point."""
    produce = {system: median(micros) for system, micros in SERIAL_US.items()}
    wake_up = {system: median(micros) for system, micros in WAKE_UP_US.items()}
    text = " ".join((ROOT / "docs/comparison.md").read_text().split())

    [(pure, compiled, waiting)] = re.findall(
        r"took (\S+) times as long in the pure build. It took (\S+) times as long in the "
        r"\[compiled build\]\S+ but to complete a fetch that waited took (\S+) times as long",
        text,
    )

    assert pure == f"{produce['pure'] / produce['kfake']:.1f}"
    assert compiled == f"{produce['ours'] / produce['kfake']:.1f}"
    assert waiting == f"{wake_up['ours'] / wake_up['kfake']:.1f}"

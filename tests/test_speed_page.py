"""The page of measured speed: its table, its aims, and its growth curves."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from benchmarks.aims import AIMS
from benchmarks.aims_table import BARE, MOCK_IN_C, aims_lines
from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.every_benchmark import BENCHMARKS
from benchmarks.growth.curve import Curve
from benchmarks.growth.page import curve_lines, points
from benchmarks.growth.picture import picture
from benchmarks.page import table_lines
from benchmarks.results import Measured
from benchmarks.sections import SECTIONS
from benchmarks.systems import System

CURVE = Curve("growth_test", "things", (10, 20), ("to add one",), lambda _system, _sizes: iter(()))
MEASURED = Measured(
    environment="a machine",
    metrics={
        "to add one, 10 things": {"ours": [4.0, 5.0, 3.0]},
        "to add one, 20 things": {"ours": [8.0]},
    },
)


def _nothing(_system: System, _scale: float) -> Sample:
    return {}


def _row(metric: Metric, **by_system: list[float]) -> str:
    measured = Measured(environment="a machine", metrics={metric.name: by_system})
    found = [(Benchmark("one", (metric,), _nothing), measured)]
    return list(table_lines(found, ["ours", "Kafka"]))[-1]


def test_each_benchmark_is_in_one_section() -> None:
    """The page shows the figures of all benchmarks."""
    assert sorted(name for each in SECTIONS for name in each.benchmarks) == sorted(BENCHMARKS)


def test_each_aim_is_of_a_metric() -> None:
    """An aim for a metric that does not exist would never be checked."""
    metrics = {metric.name for each in BENCHMARKS.values() for metric in each.metrics}

    assert set(AIMS) <= metrics


def test_each_bare_operation_is_a_metric_beside_an_aim() -> None:
    """The table would leave out a bare operation that does not exist."""
    metrics = {metric.name for each in BENCHMARKS.values() for metric in each.metrics}

    assert set(BARE) <= set(AIMS)
    assert set(BARE.values()) <= {*metrics, MOCK_IN_C}


def test_an_aim_has_the_ratio_of_the_bare_operation_to_the_other_system() -> None:
    """The bare operation was measured by another benchmark of the same run."""
    figures = {
        "wake_up": {"end to end p50": {"ours": [60.0], "Kafka": [100.0]}},
        "limits": {"end to end on epoll p50": {"ours": [25.0]}},
    }
    measured = {
        name: Measured(environment="a machine", metrics=metrics)
        for name, metrics in figures.items()
    }

    assert list(aims_lines(measured.get))[2:] == [
        "| end to end p50, of Kafka | ≤ 0.5 | 0.60 | missed | end to end on epoll p50 | 0.25 |"
    ]


def test_the_limit_of_a_client_is_its_figure_with_the_mock_cluster() -> None:
    """It is that of the same metric."""
    throughputs = {"ours": [240.0], "Kafka": [200.0], "mock": [250.0]}
    measured = Measured(environment="a machine", metrics={"produce 1 KB": throughputs})

    assert list(aims_lines({"producing": measured}.get))[2:] == [
        f"| produce 1 KB, of Kafka | ≥ 1.3 | 1.20 | missed | {MOCK_IN_C} | 1.25 |"
    ]


def test_a_missed_aim_is_not_shown_as_the_ratio() -> None:
    """The ratio has more digits then."""
    wake_up = {"wake-up p50": {"ours": [50.13], "Kafka": [100.0]}}
    measured = Measured(environment="a machine", metrics=wake_up)

    assert list(aims_lines({"wake_up": measured}.get))[2:] == [
        "| wake-up p50, of Kafka | ≤ 0.5 | 0.5013 | missed |  |  |"
    ]


def test_a_cell_has_the_median_and_the_range() -> None:
    """All rounds count, also bad ones."""
    row = _row(Metric("p50", "us"), ours=[2.0, 1.0, 40.0], Kafka=[4.0])

    assert row == "| p50, us | 2 (1 to 40) | 4 | 0.50 |"


@pytest.mark.parametrize(("ours", "verdict"), [(70.0, "met"), (71.0, "missed")])
def test_an_aim_of_less_is_an_upper_limit(ours: float, verdict: str) -> None:
    """The aim of serial acks=all is 0.7 of Kafka's latency."""
    row = _row(Metric("serial acks=all p50", "us"), ours=[ours], Kafka=[100.0])

    assert row.endswith(f"; aim ≤ 0.7, {verdict} |")


@pytest.mark.parametrize(("ours", "verdict"), [(130.0, "met"), (129.0, "missed")])
def test_an_aim_of_more_is_a_lower_limit(ours: float, verdict: str) -> None:
    """The aim of a producer with records of 1 KB is 1.3 of Kafka's throughput."""
    row = _row(Metric("produce 1 KB", "MB/s", "higher"), ours=[ours], Kafka=[100.0])

    assert row.endswith(f"; aim ≥ 1.3, {verdict} |")


def test_a_system_without_figures_has_empty_cells() -> None:
    """Neither a figure nor a ratio is shown."""
    assert _row(Metric("p50", "us"), ours=[2.0]) == "| p50, us | 2 |  |  |"


def test_a_curve_has_a_column_for_each_measured_size() -> None:
    """The last column is the cost of the largest size divided by that of the smallest."""
    lines = list(curve_lines(CURVE, MEASURED))

    assert lines[-3] == "| µs | 10 | 20 | last / first |"
    assert lines[-1] == "| to add one | 4 | 8 | 2.00 |"


def test_a_picture_of_a_curve_is_readable_in_both_modes() -> None:
    """It has a title, and a variant of its colours for the dark mode."""
    text = picture(CURVE, points(CURVE, MEASURED))

    title = ET.fromstring(text).findtext("{http://www.w3.org/2000/svg}title")
    assert title == "Costs against the number of things"
    assert "prefers-color-scheme: dark" in text
    assert "stroke: #" not in text.split("</style>", 1)[1]

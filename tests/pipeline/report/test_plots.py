"""The plots of a report."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from pipeline.report import plots
from tests.pipeline.report.findings_made import made


@pytest.mark.parametrize(
    "draw",
    [
        plots.latency_over_time,
        plots.causes_over_time,
        plots.parked_against_lag,
        plots.phases,
        lambda one: plots.percentile_curves([one, made("theirs")]),
    ],
)
def test_a_plot_is_reproducible_svg(draw: object) -> None:
    """A plot is well-formed SVG without a date, and needs no display."""
    assert callable(draw)
    svg = draw(made())

    assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert svg == draw(made())

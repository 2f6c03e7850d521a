"""The pictures."""

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
def test_a_picture_is_svg_and_the_same_again(draw: object) -> None:
    """Well-formed, drawn without a screen, and without a date in it."""
    assert callable(draw)
    svg = draw(made())

    assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert svg == draw(made())

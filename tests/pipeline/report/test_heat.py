"""Heat maps as paths."""

from __future__ import annotations

import re

from pipeline.report.heat import SHADES, cells_picture, values


def test_each_place_is_drawn_once() -> None:
    """Row 0 is at the bottom; more requests have a higher shade."""
    picture = cells_picture({(0, 0): 1, (3, 1): 900}, rows=2)

    found = dict(re.findall(r'class="shade-(\d)" d="([^"]+)"', picture))
    assert found == {"0": "M0 1.5h1", str(SHADES - 1): "M3 0.5h1"}


def test_the_script_gets_the_numbers() -> None:
    """Column, row and number of each place."""
    assert values({(3, 1): 900, (0, 0): 1}) == [[0, 0, 1], [3, 1, 900]]

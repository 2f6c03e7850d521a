"""The picture of the timing wheels shows the path that the timer's own code gives a task."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from docs import pictures
from purgatories.timer.draw import draw


@pytest.mark.parametrize("delay_ms", [1, 19, 20, 39, 399, 400, 450, 7999, 8000, 123_456])
def test_a_path_is_that_of_the_timer(delay_ms: int) -> None:
    """Each stop is the bucket in which the timer puts the task at that time."""
    lines = draw(delay_ms, wheel_size=pictures.WHEEL_SIZE).splitlines()

    fires = [line.strip() for line in lines if "that bucket fires at" in line]

    path = list(pictures.path(delay_ms))
    assert [f"that bucket fires at {bucket:,} ms" for _, bucket, _ in path] == fires
    assert [now for _, _, now in path] == [0, *(bucket for _, bucket, _ in path[:-1])]


@pytest.mark.parametrize("name", ["produce", "purgatory", "rooms", "wheels"])
def test_a_picture_is_readable_in_both_modes(name: str) -> None:
    """It is valid XML with a title, fits a narrow page, and has a dark variant of its colours."""
    text = getattr(pictures, name)()
    root = ET.fromstring(text)

    assert root.findtext("{http://www.w3.org/2000/svg}title")
    assert int(root.attrib["width"]) <= 480
    assert "prefers-color-scheme: dark" in text

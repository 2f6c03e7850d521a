"""The picture of the timing wheels shows the path that the timer's own code gives a task."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from docs import pictures
from purgatories.timer.path import path


@pytest.mark.parametrize("delay_ms", [1, 19, 20, 39, 399, 400, 450, 7999, 8000, 123_456])
def test_a_path_is_that_of_the_timer(delay_ms: int) -> None:
    """Each stop is the bucket in which the timer puts the task at that time."""
    *waiting, _ran = (step["timer"] for step in path([delay_ms], wheel_size=pictures.WHEEL_SIZE))

    drawn = list(pictures.path(delay_ms))

    assert [bucket for _, bucket, _ in drawn] == [timer["next_expiration_ms"] for timer in waiting]
    assert [now for _, _, now in drawn] == [timer["now_ms"] for timer in waiting]


@pytest.mark.parametrize("name", ["produce", "purgatory", "rooms", "wheels"])
def test_a_picture_is_readable_in_both_modes(name: str) -> None:
    """It is valid XML with a title, fits a narrow page, and has a dark variant of its colours."""
    text = getattr(pictures, name)()
    root = ET.fromstring(text)

    assert root.findtext("{http://www.w3.org/2000/svg}title")
    assert int(root.attrib["width"]) <= 480
    assert "prefers-color-scheme: dark" in text

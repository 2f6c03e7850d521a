"""Numbers and durations that are arguments of the handle."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from antechamber.handle import Node
from antechamber.quantities import (
    ADVANCE_MAX_S,
    SPEED_MAX,
    SPEED_MIN,
    WAIT_MAX_S,
    decimal_speed,
    node_id,
    whole_milliseconds,
)
from broker.admin import clock_paths
from broker.admin.wait import TIMEOUT_MS_MAX


@pytest.mark.parametrize(
    ("duration", "ms"), [(0, 0), (0.0125, 12), (45, 45_000), (timedelta(minutes=1), 60_000)]
)
def test_a_duration_is_seconds_or_a_timedelta(duration: float | timedelta, ms: int) -> None:
    """The result is in whole milliseconds."""
    assert whole_milliseconds("duration", duration, 60) == ms


@pytest.mark.parametrize("duration", [-1, 60.5, float("nan"), float("inf")])
def test_a_duration_outside_of_its_limits(duration: float) -> None:
    """The error names the argument, the value and the limits."""
    line = f"timeout: {duration} is not a number of seconds from 0 to 60"
    with pytest.raises(ValueError, match=f"^{re.escape(line)}$"):
        whole_milliseconds("timeout", duration, 60)


@pytest.mark.parametrize("duration", ["45s", None])
def test_a_duration_of_another_type(duration: Any) -> None:
    """The error names the argument and the types."""
    line = f"duration: {duration!r} is neither a number of seconds nor a timedelta"
    with pytest.raises(TypeError, match=f"^{re.escape(line)}$"):
        whole_milliseconds("duration", duration, 60)


def test_a_speed_has_no_exponent() -> None:
    """The broker would refuse it."""
    assert decimal_speed(0.001) == "0.0010000000"


@pytest.mark.parametrize("speed", [0, -1, 1e-5, 1001])
def test_a_speed_outside_of_its_limits(speed: float) -> None:
    """The error names the argument, the value as it was given, and the limits."""
    with pytest.raises(ValueError, match=rf"^speed: {speed} is not a number from 0\.001 to 1000$"):
        decimal_speed(speed)


def test_a_speed_of_another_type() -> None:
    """The error names the argument."""
    value: Any = "fast"
    with pytest.raises(TypeError, match=r"^speed: 'fast' is not a number$"):
        decimal_speed(value)


def test_the_limits_are_those_of_the_broker() -> None:
    """The broker refuses greater values."""
    assert (SPEED_MIN, SPEED_MAX) == (clock_paths.SPEED_MIN, clock_paths.SPEED_MAX)
    assert ADVANCE_MAX_S * 1000 == clock_paths.ADVANCE_MS_MAX
    assert WAIT_MAX_S * 1000 == TIMEOUT_MS_MAX


def test_a_node_is_given_by_its_id_or_as_a_node() -> None:
    """An error names the argument."""
    assert node_id(3) == node_id(Node(3, "127.0.0.1", 9092)) == 3
    with pytest.raises(TypeError, match=r"^node: '3' is neither the id of a node nor a Node$"):
        node_id("3")

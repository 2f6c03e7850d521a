"""Errors of the creation of internal topics."""

from __future__ import annotations

import pytest

from broker.groups.streams.creation_errors import CreationErrors
from tests.broker.groups.virtual_world import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def errors(clock: ManualClock) -> CreationErrors:
    return CreationErrors(clock.now_ms)


def test_an_error_expires(clock: ManualClock, errors: CreationErrors) -> None:
    """After its time."""
    errors.put("t", "bad", 100)
    clock.time_ms = 99
    assert errors.get("t") == "bad"

    clock.time_ms = 100

    assert errors.get("t") is None


def test_a_topic_without_an_error(errors: CreationErrors) -> None:
    """It can be created."""
    assert errors.get("t") is None


def test_a_newer_error_replaces_the_former(clock: ManualClock, errors: CreationErrors) -> None:
    """With its own time."""
    errors.put("t", "bad", 100)
    clock.time_ms = 50
    errors.put("t", "worse", 100)

    clock.time_ms = 120

    assert errors.get("t") == "worse"


def test_the_oldest_of_many_errors_are_dropped(errors: CreationErrors) -> None:
    """A thousand are kept; one that was renewed is not old."""
    for number in range(1000):
        errors.put(f"t{number}", "bad", 100)
    errors.put("t0", "bad", 100)
    assert errors.get("t1") == "bad"

    errors.put("new", "bad", 100)

    assert [errors.get(each) for each in ("t0", "t1", "t2", "new")] == ["bad", None, "bad", "bad"]


def test_expired_errors_are_dropped_before_others(
    clock: ManualClock, errors: CreationErrors
) -> None:
    """Also if they are newer."""
    for number in range(1000):
        errors.put(f"t{number}", "bad", 10 if number == 500 else 100)
    clock.time_ms = 10

    errors.put("new", "bad", 100)

    assert errors.get("t0") == "bad"


def test_of_many_errors_the_ones_that_expire_first_are_dropped(errors: CreationErrors) -> None:
    """The heartbeat interval of a group decides how long its errors are kept."""
    for number in range(1000):
        errors.put(f"t{number}", "bad", 50 if number == 500 else 100)

    errors.put("new", "bad", 100)

    assert [errors.get(each) for each in ("t0", "t500")] == ["bad", None]

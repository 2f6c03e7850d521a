"""Reports of steps that took too long."""

from __future__ import annotations

import logging

import pytest

from broker.steps.limits import STALLS_KEPT, STEP_BUDGET_MS, STEP_LOG_INTERVAL_MS, STEP_WARNING_MS
from broker.steps.stalls import Stall, Stalls
from protocol.headers import RequestHeader

HEADER = RequestHeader(19, 7, 3, "admin\n")


def stalls() -> Stalls:
    return Stalls(lambda ms: int(ms * 1000))


def stall(ended_ms: float = 100.0, took_ms: float = 50.4) -> Stall:
    return Stall(ended_ms, took_ms, "task", HEADER)


def test_steps_are_counted_and_the_last_are_kept() -> None:
    """The longest one is kept as well."""
    found = stalls()
    found.add(stall(took_ms=500.0))
    for _ in range(STALLS_KEPT):
        found.add(stall())

    facts = found.statistics()
    last = facts.pop("last")
    assert facts == {
        "budget_ms": STEP_BUDGET_MS,
        "over_budget": STALLS_KEPT + 1,
        "longest_ms": 500,
    }
    request = {"api": "CreateTopics", "client_id": "admin\n", "correlation_id": 3}
    assert (
        last
        == [{"ended_us": 100_000, "task": "task", "version": 7, "ms": 50, **request}] * STALLS_KEPT
    )


def test_a_step_without_request_is_reported_by_task() -> None:
    """The fields of the request are None."""
    found = stalls()
    found.add(Stall(100.0, 30.0, "reaper", None))

    [last] = found.statistics()["last"]
    assert (last["task"], last["ms"]) == ("reaper", 30)
    assert {last[name] for name in ("api", "version", "client_id", "correlation_id")} == {None}


def test_there_are_few_log_lines(caplog: pytest.LogCaptureFixture) -> None:
    """One per interval, with the number of steps left out; client ids are escaped."""
    caplog.set_level(logging.INFO, "antechamber.steps")
    found = stalls()
    for ended_ms in (0.0, 1.0, 2.0, STEP_LOG_INTERVAL_MS + 1.0):
        found.add(stall(ended_ms))
    found.add(Stall(3 * STEP_LOG_INTERVAL_MS, STEP_WARNING_MS, "reaper", None))

    line = "a step of the loop took 50 ms: CreateTopics v7 correlation=3 client='admin\\n'"
    assert [record.getMessage() for record in caplog.records] == [
        line,
        f"{line}; 2 more since the last line",
        f"a step of the loop took {STEP_WARNING_MS} ms: task reaper",
    ]
    assert [record.levelno for record in caplog.records] == [
        logging.INFO,
        logging.INFO,
        logging.WARNING,
    ]


def test_a_request_does_not_wait_for_its_own_step() -> None:
    """Other requests do, until the aftermath ends."""
    found = stalls()
    assert found.behind(HEADER) is None
    found.add(stall())

    assert found.behind(HEADER) is None
    assert found.behind(RequestHeader(0, 9, 1, "other")) == stall()
    found.aftermath = None
    assert found.behind(RequestHeader(0, 9, 1, "other")) is None

"""Unexpected exceptions are contained, logged and counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.common.errors import DiskFailed, InvariantBroken
from broker.common.unexpected_errors import UnexpectedErrors, indented_traceback, is_strict
from protocol.headers import RequestHeader
from tests.broker.api.broken_handlers import contain_errors

HEADER = RequestHeader(api_key=12, api_version=4, correlation_id=7, client_id="me")


def test_the_environment_enables_strict_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is enabled in the tests of this project."""
    assert is_strict()
    monkeypatch.setenv("ANTECHAMBER_STRICT", "0")
    assert not is_strict()
    monkeypatch.delenv("ANTECHAMBER_STRICT")
    assert not is_strict()


def test_strict_mode_raises_and_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The traceback is shown when the exception ends the process."""
    errors = UnexpectedErrors("node 1")
    with pytest.raises(ZeroDivisionError):
        errors.in_frame(HEADER, "peer", ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        errors.elsewhere("a timer", ZeroDivisionError())

    assert caplog.messages == []
    assert errors.statistics() == {"requests": {}, "others": 0}


def test_errors_are_counted_by_api(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors outside of requests have one common count."""
    contain_errors(monkeypatch)
    errors = UnexpectedErrors("node 1")
    errors.in_frame(HEADER, "peer", ValueError())
    errors.in_frame(replace(HEADER, api_key=0), "peer", ValueError())
    errors.in_frame(HEADER, "peer", ValueError())
    errors.elsewhere("a timer", ValueError())

    assert errors.statistics() == {"requests": {"Heartbeat": 2, "Produce": 1}, "others": 1}


def test_a_broken_invariant_stops_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not contained, so it is not counted."""
    contain_errors(monkeypatch)
    errors, stopped = UnexpectedErrors("node 1"), list[Exception]()
    errors.stop_node = stopped.append
    error = InvariantBroken("the log ends before its high watermark")
    errors.elsewhere("a timer", error)

    assert stopped == [error]
    assert errors.statistics() == {"requests": {}, "others": 0}


def test_a_broken_invariant_of_a_node_without_a_cluster_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tools that read logs have no cluster."""
    contain_errors(monkeypatch)
    with pytest.raises(InvariantBroken):
        UnexpectedErrors("node 1").elsewhere("a timer", InvariantBroken())


def test_a_failed_disk_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """All nodes share the controller's store."""
    contain_errors(monkeypatch)
    with pytest.raises(DiskFailed):
        UnexpectedErrors("node 1").in_frame(HEADER, "peer", DiskFailed())


def test_a_traceback_is_indented_and_shows_no_control_characters() -> None:
    """An exception may contain a client's bytes."""
    try:
        raise ValueError("a\nb\x1b[0m\u202e é")
    except ValueError as error:
        lines = indented_traceback(error).split("\n")

    assert all(line.startswith("    ") for line in lines)
    assert lines[-2:] == ["    ValueError: a", "    b\\x1b[0m\\u202e é"]

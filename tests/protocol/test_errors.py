"""Tests of the error codes."""

from __future__ import annotations

import inspect

import kafka.errors

from protocol.errors import ErrorCode

# kafka-python has some names of older Kafka versions.
_RENAMED = {
    "UNKNOWN": "UNKNOWN_SERVER_ERROR",
    "NO_ERROR": "NONE",
    "NOT_LEADER_FOR_PARTITION": "NOT_LEADER_OR_FOLLOWER",
    "MESSAGE_SIZE_TOO_LARGE": "MESSAGE_TOO_LARGE",
    "INVALID_TOPIC": "INVALID_TOPIC_EXCEPTION",
    "INVALID_REPLICATION_ASSIGNMENT": "INVALID_REPLICA_ASSIGNMENT",
}


def test_codes_are_those_of_clients() -> None:
    """Every code of kafka-python has the same name here."""
    theirs: dict[int, str] = {
        getattr(error, "errno", 0): getattr(error, "message", "")
        for _, error in inspect.getmembers(kafka.errors, inspect.isclass)
        if isinstance(getattr(error, "errno", None), int)
    }

    assert len(theirs) > 120
    for code, name in theirs.items():
        assert ErrorCode(code).name == _RENAMED.get(name, name)


def test_codes_are_without_gaps() -> None:
    """The codes of Kafka 4.3 are contiguous from -1 to 133."""
    assert [int(code) for code in ErrorCode] == list(range(-1, 134))


def test_no_error_is_false() -> None:
    """NONE is falsy, so that an error can be tested by its truth value."""
    assert not ErrorCode.NONE
    assert ErrorCode.UNKNOWN_SERVER_ERROR

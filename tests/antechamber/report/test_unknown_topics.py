"""The topics that clients requested and that do not exist."""

from __future__ import annotations

from typing import Any

from antechamber.report.unknown_topics import unknown_topic_lines


def _record(client_id: str, *names: str) -> dict[str, Any]:
    return {"client_id": client_id, "unknown_topics": [*names]}


def test_a_topic_has_the_clients_that_requested_it() -> None:
    """Each with the number of its requests, the most frequent first."""
    records = [_record("one", "orders"), _record("two", "orders", "bills"), _record("two", "bills")]

    assert list(unknown_topic_lines(records, [])) == [
        "bills: requested twice by client two",
        "orders: requested once by client one",
        "orders: requested once by client two",
    ]


def test_a_topic_that_exists_now_is_left_out() -> None:
    """The next request of the client finds it."""
    records = [_record("one", "orders"), {"client_id": "one"}]

    assert list(unknown_topic_lines(records, [{"name": "orders"}])) == []


def test_only_the_first_lines_are_shown() -> None:
    """With the number of the others."""
    *_, last = unknown_topic_lines([_record("one", *"abcdefg")], [])

    assert last == "and 2 more"

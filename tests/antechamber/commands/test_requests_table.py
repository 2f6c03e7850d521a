"""Tables of waiting and completed requests."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from rich.console import Console

from antechamber.commands.requests_table import CompletedTable, ParkedTable, fitting
from tests.facts import completed_fetch, parked_fetch, parked_produce


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times of day in UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def drawn(table: ParkedTable | CompletedTable, columns: int = 80) -> list[str]:
    """The lines of a table on a terminal of that width; none is blank."""
    out = io.StringIO()
    Console(width=columns, file=out).print(table)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert max(map(len, lines)) <= columns
    assert all(lines)
    return lines


def request(**changed: Any) -> dict[str, Any]:
    return {**parked_produce(), **changed}


def parked(*requests: dict[str, Any], columns: int = 80) -> list[str]:
    return drawn(ParkedTable(requests, 100), columns)


def details(*requests: dict[str, Any]) -> list[str]:
    """The lines below the heading, without the number of requests."""
    return [line.strip() for line in parked(*requests)[2:-1]]


def test_a_parked_produce_shows_its_replicas() -> None:
    """The needed high watermark, the log end of each replica, and the time since it had none."""
    assert parked(parked_produce()) == [
        "waited     left   request",
        f"{'─' * 75}",
        " 1.2 s   28.8 s   Produce v9 #12 of producer-1, to node 1",
        "                  orders-0: high watermark 41 of 45",
        "                    node 1           45",
        "                    node 2           45",
        "                    node 3 (paused)  41  4 behind, last caught up 1.3 s ago",
        "1 request waits",
    ]


def test_an_authenticated_client_is_shown_with_its_principal_and_listener() -> None:
    """After its client id; an anonymous one without."""
    secured = {"principal": "User:alice", "listener": "SSL"}
    named = "Produce v9 #12 of producer-1 (User:alice, listener SSL), to node 1"

    assert named in parked(request(**secured), columns=109)[2]
    assert "(" not in parked(request(principal="User:ANONYMOUS", listener="PLAINTEXT"))[2]


def test_a_truncated_list() -> None:
    """The last line says that there may be more requests than the limit."""
    assert drawn(ParkedTable([parked_produce()] * 2, 2))[-1] == (
        "2 requests wait, and perhaps more: --limit"
    )


def test_a_wide_terminal_shows_times_of_day(utc: None) -> None:
    """The columns are the times of arrival and of the timeout."""
    heading, _, first, *_ = parked(parked_produce(), parked_fetch(), columns=140)

    assert heading.split() == ["since", "until", "waited", "left", "request"]
    assert first.startswith("22:13:20.123   22:13:50.123    1.2 s   28.8 s   Produce v9 #12 of")


def test_a_parked_fetch_shows_its_bytes() -> None:
    """The available and needed bytes, and the offset in each partition."""
    assert details(parked_fetch())[1:] == ["0 of 1 bytes, orders-0 from 45, orders-1 from 45"]


def test_a_request_without_a_timeout(utc: None) -> None:
    """A SyncGroup of a client without an id waits for its leader."""
    waits = request(
        api="SyncGroup",
        client_id=None,
        waited_for={"kind": "leader"},
        timeout_ms=None,
        remaining_ms=None,
        partitions=[],
    )

    assert details(waits) == [
        "1.2 s        -   SyncGroup v9 #12 of a client without an id, to node 1",
        "leader",
    ]
    assert parked(waits, columns=140)[2].split()[:2] == ["22:13:20.123", "-"]
    assert details(request(waited_for=None, partitions=[]))[1:] == []


def test_only_four_partitions_are_shown() -> None:
    """A request may name hundreds of partitions."""
    fetch, produce = parked_fetch(), parked_produce()

    assert details({**fetch, "partitions": fetch["partitions"] * 4})[-1].endswith(" and 4 more")
    assert details({**produce, "partitions": produce["partitions"] * 7})[-1] == (
        "and 3 more partitions"
    )


def test_partitions_without_an_offset_have_none() -> None:
    """As those of markers, and of a deleted partition."""
    partition = {**parked_fetch()["partitions"][0], "offset": -1}
    waiting = {**parked_fetch(), "partitions": [partition], "waited_for": None}

    assert details(waiting)[-1] == f"{partition['topic']}-{partition['partition']}"


def test_a_redrawn_table_fits_the_terminal() -> None:
    """At least one request is shown, and all are counted."""
    requests = [parked_produce(correlation_id=number) for number in range(20)]

    def shown(lines: int, count: int = 20) -> list[str]:
        console = Console(width=80, height=lines, file=io.StringIO())
        draw = partial(ParkedTable, requests[:count], 100)
        table = fitting(draw, count, console)
        assert isinstance(table, ParkedTable)
        return drawn(table)

    assert shown(24)[-1] == "20 requests wait; the first 4 are shown"
    assert len(shown(24)) < 24
    assert shown(5)[-1] == "20 requests wait; the first 1 are shown"
    assert shown(24, 2)[-1] == "2 requests wait"
    assert shown(24, 0) == ["no request waits"]


def test_an_empty_table_is_a_line() -> None:
    """A line replaces the table if there are no requests."""
    assert parked() == ["no request waits"]
    assert drawn(CompletedTable([])) == ["no request completed"]


def test_the_state_of_a_replica() -> None:
    """Its node is paused or stopped, or it is not in sync, so that no request waits for it."""
    produce = parked_produce()
    replica = produce["partitions"][0]["replicas"][2]

    def line(**changed: object) -> str:
        replica.update(changed)
        return details(produce)[-1]

    behind = "4 behind, last caught up 1.3 s ago"
    assert line() == f"node 3 (paused)  41  {behind}"
    assert line(in_sync=False, state="running", caught_up_ms_ago=None) == (
        "node 3  41  4 behind, not in sync"
    )
    assert line(in_sync=True, log_end_offset=None, state="stopped", caught_up_ms_ago=None) == (
        "node 3 (stopped)   -  is not running"
    )


def test_a_deleted_partition_has_no_replicas() -> None:
    """The known fields are shown if the topic has just been deleted."""
    produce = parked_produce()
    del produce["partitions"][0]["high_watermark"]
    produce["partitions"][0]["replicas"] = []

    assert details(produce)[1:] == ["high watermark 41 of 45, orders-0 at 41"]


def test_a_completed_request_shows_its_cause(utc: None) -> None:
    """The cause names its request; a request without a wait shows its duration and errors."""
    partitions = [{"topic": "orders", "partition": 0, "offset": 41, "error": 0}]
    fetch = {"api": "Fetch", "client_id": "broker-3-fetcher-0", "correlation_id": 77}
    waited = request(
        total_us=1_300_000,
        error=0,
        partitions=partitions,
        completed_by={"cause": "high_watermark", "request": fetch},
    )
    at_once = request(
        total_us=132,
        parked_us=0,
        purgatory=None,
        waited_for=None,
        error=0,
        partitions=[each | {"error": 7} for each in partitions],
        completed_by={"cause": "error"},
    )

    assert drawn(CompletedTable([waited, at_once]))[2:] == [
        "22:13:20.123    1.3 s    1.2 s   Produce v9 #12 of producer-1, to node 1",
        "                                 high watermark 41 of 45, orders-0 at 41",
        "                                 ended by high watermark, Fetch #77 of",
        "                                 broker-3-fetcher-0",
        "22:13:20.123   132 µs        -   Produce v9 #12 of producer-1, to node 1",
        "                                 orders-0 at 41",
        "                                 error 7 (REQUEST_TIMED_OUT)",
    ]


def test_a_completed_request_shows_the_step_that_delayed_it() -> None:
    """The step names its request, if it belongs to one."""
    step = {"api": "CreateTopics", "client_id": None, "correlation_id": 3, "ms": 1200}
    own = step | {"api": None, "correlation_id": None, "ms": 25}

    requests = [completed_fetch() | {"stalled_by": each} for each in (step, own)]
    lines = drawn(CompletedTable(requests), columns=120)

    named = [line.strip() for line in lines if "delayed by a step" in line]
    assert named == [
        "delayed by a step of 1,200 ms, CreateTopics #3 of a client without an id",
        "delayed by a step of 25 ms",
    ]


@pytest.mark.parametrize(
    ("name", "producer"), [("billing-1", "billing-1"), (None, "producer id 7")]
)
def test_a_fetch_at_the_last_stable_offset_names_the_transaction(
    name: str | None, producer: str
) -> None:
    """The producer id takes the place of an unknown transactional id."""
    transaction = {"transactional_id": name, "producer_id": 7, "state": "open", "held_ms": 4200}
    held = {"topic": "orders", "partition": 0, "offset": 120, "transaction": transaction}
    waited_for = {"kind": "transaction", "need": 1, "had": 0} | held
    lines = drawn(ParkedTable([parked_fetch() | {"waited_for": waited_for}], 100), 160)

    assert f"open transaction of {producer} holds orders-0 at 120 for 4.2 s" in "\n".join(lines)


def test_the_quota_that_throttles_a_client_is_named() -> None:
    """Of the request that exceeded it, and of the one that was queued."""
    throttle = {
        "quota": "request_percentage",
        "user": None,
        "client_id": "billing",
        "rate": 0.8,
        "limit": 0.5,
        "ms": 1000,
    }
    requests = [completed_fetch() | {name: throttle} for name in ("throttle", "muted_by")]
    lines = drawn(CompletedTable(requests), columns=160)

    why = (
        "the quota request_percentage of client billing: 0.8 instead of 0.5 percent of a processor"
    )
    named = [line.strip() for line in lines if "request_percentage" in line]
    assert named == [f"throttled for 1,000 ms by {why}", f"queued because of {why}"]


def test_the_locks_that_keep_records_from_a_share_fetch() -> None:
    """Each has a line; so have released records, and a window without room."""
    lock = {"topic": "orders", "partition": 0, "first_offset": 0, "last_offset": 9, "member": "a"}
    waited_for = {
        "kind": "share_records",
        "group": "workers",
        "need": 1,
        "had": 0,
        "available": 3,
        "full_window": "orders-0",
        "locks": [{**lock, "delivery_count": 1, "lock_expires_in_ms": 29_900}],
    }
    fetch = {**parked_fetch(), "api": "ShareFetch", "waited_for": waited_for}
    lines = [line.strip() for line in drawn(ParkedTable([fetch], 100))]

    assert "0-9 of orders-0 by member a (delivered once, 29.9 s left)" in lines
    assert "3 records available" in lines
    assert "no further record of orders-0 may be in flight" in lines

"""Requests as tables for people."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from rich.console import Console

from antechamber.requests_table import AnsweredTable, ParkedTable, fitting
from tests.facts import answered_fetch, parked_fetch, parked_produce


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Times of day in UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def drawn(table: ParkedTable | AnsweredTable, columns: int = 80) -> list[str]:
    """The lines of a table on a terminal of that width."""
    out = io.StringIO()
    Console(width=columns, file=out).print(table)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert max(map(len, lines)) <= columns
    return [line for line in lines if line]


def request(**changed: Any) -> dict[str, Any]:
    return {**parked_produce(), **changed}


def parked(*requests: dict[str, Any], columns: int = 80) -> list[str]:
    return drawn(ParkedTable(requests, 100), columns)


def details(*requests: dict[str, Any]) -> list[str]:
    """What stands below the heading, before the number of requests."""
    return [line.strip() for line in parked(*requests)[2:-1]]


def test_a_parked_produce_tells_who_is_behind() -> None:
    """What the high watermark needs, where each replica is, and since when one lags."""
    assert parked(parked_produce()) == [
        " waited     left   request",
        f" {'─' * 75}",
        "  1.2 s   28.8 s   Produce v9 #12 of producer-1, to node 1",
        "                   orders-0: high watermark 41 of 45",
        "                     node 1           45",
        "                     node 2           45",
        "                     node 3 (paused)  41  4 behind, last caught up 1.3 s ago",
        "1 request waits",
    ]


def test_a_cut_list_says_so() -> None:
    """There may be more than were asked for."""
    assert drawn(ParkedTable([parked_produce()] * 2, 2))[-1] == (
        "2 requests wait, and perhaps more: --limit"
    )


def test_a_wide_terminal_shows_times_of_day(utc: None) -> None:
    """Since when, and until when."""
    heading, _, first, *_ = parked(parked_produce(), parked_fetch(), columns=140)

    assert heading.split() == ["since", "until", "waited", "left", "request"]
    assert first.startswith(" 22:13:20.123   22:13:50.123    1.2 s   28.8 s   Produce v9 #12 of")


def test_a_fetch_tells_how_much_it_lacks() -> None:
    """And from where in each partition it reads."""
    assert details(parked_fetch())[1:] == ["0 of 1 bytes, orders-0 from 45, orders-1 from 45"]


def test_what_has_no_limit_says_so(utc: None) -> None:
    """A SyncGroup that waits for its leader; whoever sent it has no name."""
    waits = request(
        api="SyncGroup",
        client_id=None,
        waited_for={"kind": "leader"},
        timeout_ms=None,
        remaining_ms=None,
        partitions=[],
    )

    assert details(waits) == [
        "1.2 s        -   SyncGroup v9 #12 of a client without id, to node 1",
        "leader",
    ]
    assert parked(waits, columns=140)[2].split()[:2] == ["22:13:20.123", "-"]
    assert details(request(waited_for=None, partitions=[]))[1:] == []


def test_only_the_first_partitions_are_shown() -> None:
    """A request may name hundreds."""
    fetch, produce = parked_fetch(), parked_produce()

    assert details({**fetch, "partitions": fetch["partitions"] * 4})[-1].endswith(" and 4 more")
    assert details({**produce, "partitions": produce["partitions"] * 7})[-1] == (
        "and 3 more partitions"
    )


def test_a_table_that_moves_fits_the_terminal() -> None:
    """As many requests as there are lines for, one at least; all are counted."""
    requests = [parked_produce(correlation_id=number) for number in range(20)]

    def shown(lines: int, count: int = 20) -> list[str]:
        console = Console(width=80, height=lines, file=io.StringIO())
        draw = partial(ParkedTable, requests[:count], 100)
        table = fitting(draw, count, console)
        assert isinstance(table, ParkedTable)
        return drawn(table)

    assert shown(24)[-1] == "20 requests wait; the first 3 are shown"
    assert len(shown(24)) < 24
    assert shown(5)[-1] == "20 requests wait; the first 1 are shown"
    assert shown(24, 2)[-1] == "2 requests wait"
    assert shown(24, 0) == ["nothing waits"]


def test_nothing_is_worth_a_line_too() -> None:
    """Rather than an empty table."""
    assert parked() == ["nothing waits"]
    assert drawn(AnsweredTable([])) == ["nothing answered"]


def test_a_replica_tells_what_is_the_matter_with_it() -> None:
    """Its node is paused or stopped, or it is so far back that nothing waits for it."""
    produce = parked_produce()
    replica = produce["partitions"][0]["replicas"][2]

    def told(**changed: object) -> str:
        replica.update(changed)
        return details(produce)[-1]

    behind = "4 behind, last caught up 1.3 s ago"
    assert told() == f"node 3 (paused)  41  {behind}"
    assert told(in_sync=False, state="running", caught_up_ms_ago=None) == (
        "node 3  41  4 behind, not in sync"
    )
    assert told(in_sync=True, log_end_offset=None, state="stopped", caught_up_ms_ago=None) == (
        "node 3 (stopped)   -  does not run"
    )


def test_a_partition_that_has_gone_has_no_replicas() -> None:
    """Its topic was deleted this very moment: what is known is shown."""
    produce = parked_produce()
    del produce["partitions"][0]["high_watermark"]
    produce["partitions"][0]["replicas"] = []

    assert details(produce)[1:] == ["high watermark 41 of 45, orders-0 at 41"]


def test_an_answered_request_tells_what_completed_it(utc: None) -> None:
    """And whose request that was; one that never waited how long it took, and what was refused."""
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

    assert drawn(AnsweredTable([waited, at_once]))[2:] == [
        " 22:13:20.123    1.3 s    1.2 s   Produce v9 #12 of producer-1, to node 1",
        "                                  high watermark 41 of 45, orders-0 at 41",
        "                                  ended by high watermark, Fetch #77 of",
        "                                  broker-3-fetcher-0",
        " 22:13:20.123   132 µs        -   Produce v9 #12 of producer-1, to node 1",
        "                                  orders-0 at 41",
        "                                  error 7 (REQUEST_TIMED_OUT)",
    ]


def test_an_answered_request_names_the_step_it_waited_for() -> None:
    """And whose work that was, if it was a request's."""
    step = {"api": "CreateTopics", "client_id": None, "correlation_id": 3, "ms": 1200}
    own = step | {"api": None, "correlation_id": None, "ms": 25}

    requests = [answered_fetch() | {"stalled_by": each} for each in (step, own)]
    lines = drawn(AnsweredTable(requests), columns=120)

    named = [line.strip() for line in lines if "behind a step" in line]
    assert named == [
        "behind a step of 1,200 ms, CreateTopics #3 of a client without id",
        "behind a step of 25 ms",
    ]

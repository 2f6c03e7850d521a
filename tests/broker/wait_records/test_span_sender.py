"""The sink that sends wait records as spans, in a thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import trio

from broker.common.errors import StartupError
from broker.wait_records.span_sender import SpanSender, live_spans
from tests.broker.wait_records.records import Collected

LINES = [b'{"n":1}', b'{"n":2}', b'{"n":3}']
RECORDS = [{"n": 1}, {"n": 2}, {"n": 3}]


def _wait_until_ended() -> None:
    """Wait for the thread of a closed sender: `close` does not if the last send has failed."""
    for thread in threading.enumerate():
        if thread.name == "spans":
            thread.join()


@pytest.fixture
def collected() -> Iterator[Collected]:
    """Ends the thread at the end."""
    made = Collected()
    yield made
    made.stop()


def test_lines_are_sent_as_records(collected: Collected) -> None:
    """After each flush, and the last ones at the end."""
    with closing(SpanSender(collected)) as sender:
        sender.add(LINES[:2])
        trio.run(sender.flush)
        collected.was_called.acquire()
        sender.add(LINES[2:])

    assert [each for sent in collected.sent for each in sent] == RECORDS
    assert sender.statistics() == {
        "sink": "otlp",
        "url": "http://collector",
        "written": 3,
        "dropped": 0,
    }
    assert collected.is_stopped


def test_records_are_dropped_while_the_collector_is_slow(collected: Collected) -> None:
    """The queue has a limit, and a flush waits for nothing."""
    collected.may_send.clear()
    sender = SpanSender(collected, records_max=2)
    sender.add(LINES[:1])
    trio.run(sender.flush)
    collected.is_sending.wait()
    sender.add(LINES)
    trio.run(sender.flush)
    collected.may_send.set()
    sender.close()

    assert [each for sent in collected.sent for each in sent] == [RECORDS[0], *RECORDS[:2]]
    assert (sender.statistics()["written"], sender.statistics()["dropped"]) == (3, 1)


def test_a_collector_that_refuses_is_logged_once(
    collected: Collected, caplog: pytest.LogCaptureFixture
) -> None:
    """Its records are dropped and counted; a later failure is logged again."""
    with closing(SpanSender(collected)) as sender, caplog.at_level(logging.WARNING):
        for accepts in (False, False, True, False):
            collected.accepts = accepts
            sender.add(LINES)
            trio.run(sender.flush)
            collected.was_called.acquire()
    _wait_until_ended()

    line = (
        "--otlp: the collector at http://collector does not accept spans, "
        "they are dropped until it does"
    )
    assert caplog.messages == [line, line]
    assert (sender.statistics()["written"], sender.statistics()["dropped"]) == (3, 9)


def test_a_stop_does_not_wait_for_a_collector_that_blocks(collected: Collected) -> None:
    """What is being sent is given up."""
    collected.may_send.clear()
    sender = SpanSender(collected, last_s=0)
    sender.add(LINES)
    trio.run(sender.flush)
    collected.is_sending.wait()
    sender.close()

    assert collected.is_stopped


def test_held_records_are_sent_without_further_ones(collected: Collected) -> None:
    """A record is held for the record of another request, which may never come."""
    collected.will_hold = [True]
    with closing(SpanSender(collected, held_s=0)) as sender:
        sender.add(LINES)
        trio.run(sender.flush)
        for _ in range(2):
            collected.was_called.acquire()

    assert collected.sent[:2] == [RECORDS, []]


def test_another_exception_is_raised_by_the_next_flush(collected: Collected) -> None:
    """The outbox reports it; the thread continues."""
    with closing(SpanSender(collected)) as sender:
        collected.bug = RuntimeError("a bug")
        sender.add(LINES)
        trio.run(sender.flush)
        collected.was_called.acquire()
        collected.bug = None
        sender.add(LINES)
    _wait_until_ended()
    with pytest.raises(RuntimeError, match="a bug"):
        trio.run(sender.flush)

    assert (sender.statistics()["written"], sender.statistics()["dropped"]) == (3, 3)


def test_without_opentelemetry_the_extra_is_named() -> None:
    """In one line, before the broker serves."""

    def missing(_url: str) -> Any:
        raise ModuleNotFoundError("No module", name="opentelemetry")

    with pytest.raises(StartupError) as refused:
        live_spans("http://collector", missing)

    words = "--otlp: opentelemetry is not installed; pip install 'antechamber[otlp]'"
    assert str(refused.value) == words


def test_an_address_needs_a_scheme() -> None:
    """The line has an example."""
    pytest.importorskip("opentelemetry.sdk", reason="the extra otlp is not installed")
    with pytest.raises(StartupError) as refused:
        live_spans("127.0.0.1:4318")

    words = "--otlp: 127.0.0.1:4318 is not an address such as http://127.0.0.1:4318"
    assert str(refused.value) == words

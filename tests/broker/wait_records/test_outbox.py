"""The records that are to be written."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from broker.common.clock import TrioClock
from broker.wait_records.limits import LINGER_MS
from broker.wait_records.outbox import Outbox
from purgatories.on_error import OnError, log_error
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper
from tests.broker.wait_records.records import KeepingSink, wait_record

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def _running(
    sink: KeepingSink, records_max: int = 100, on_error: OnError = log_error
) -> AsyncIterator[Outbox]:
    """An outbox with one sink, and the timer that it needs."""
    timer = SystemTimer("test", now_ms=TrioClock().now_ms, on_error=on_error)
    outbox = Outbox(timer, [sink], records_max=records_max)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, timer)
        nursery.start_soon(outbox.run)
        await trio.testing.wait_all_tasks_blocked()
        yield outbox
        nursery.cancel_scope.cancel()


def _ids(lines: list[bytes]) -> list[int]:
    """The correlation ids of records."""
    return [json.loads(line)["correlation_id"] for line in lines]


async def test_records_are_written_after_a_delay() -> None:
    """All that are put in within the delay of the first are written together, in order."""
    sink = KeepingSink()
    async with _running(sink) as outbox:
        outbox.put(wait_record(1))
        await trio.sleep((LINGER_MS - 5) / 1000)
        outbox.put(wait_record(2))
        assert sink.written == []

        await trio.sleep(0.01)

        assert _ids(sink.written) == [1, 2]
        outbox.put(wait_record(3))
        await trio.sleep((LINGER_MS + 5) / 1000)
        assert _ids(sink.written) == [1, 2, 3]


async def test_a_full_outbox_drops_records_and_counts_them() -> None:
    """Records are accepted again after the sink has written."""
    sink = KeepingSink()
    sink.may_write = trio.Event()
    async with _running(sink, records_max=2) as outbox:
        for number in range(5):
            outbox.put(wait_record(number))
        assert outbox.statistics() == {"pending": 2, "dropped": 3, "sinks": [{"written": 0}]}

        sink.may_write.set()
        await trio.sleep(1)
        outbox.put(wait_record(9))
        await trio.sleep(1)

        assert _ids(sink.written) == [0, 1, 9]


async def test_records_put_in_during_a_slow_write_are_written_after_it() -> None:
    """The end of a write schedules the next one."""
    sink = KeepingSink()
    sink.may_write = trio.Event()
    async with _running(sink) as outbox:
        outbox.put(wait_record(1))
        await trio.sleep(1)
        outbox.put(wait_record(2))
        sink.may_write.set()
        await trio.sleep(1)

        assert _ids(sink.written) == [1, 2]


async def test_closing_writes_what_is_pending() -> None:
    """Without the delay, and closes the sinks."""
    sink = KeepingSink()
    async with _running(sink) as outbox:
        outbox.put(wait_record(1))
    outbox.close()

    assert _ids(sink.written) == [1]
    assert sink.closed


async def test_a_sink_that_raises_does_not_end_the_outbox() -> None:
    """The error is reported; other sinks and later records are not affected."""
    reported: list[str] = []

    class BrokenSink(KeepingSink):
        async def flush(self) -> None:
            raise ZeroDivisionError

    timer, sink = SystemTimer("test", now_ms=TrioClock().now_ms), KeepingSink()
    timer.on_error = lambda what, _error: reported.append(what)
    outbox = Outbox(timer, [BrokenSink(), sink])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, timer)
        nursery.start_soon(outbox.run)
        for number in (1, 2):
            outbox.put(wait_record(number))
            await trio.sleep(1)
        nursery.cancel_scope.cancel()

    assert _ids(sink.written) == [1, 2]
    assert len(reported) == 2


async def test_a_record_that_cannot_be_encoded_is_dropped() -> None:
    """The error is reported; other records are not affected."""
    reported: list[str] = []
    sink = KeepingSink()
    async with _running(sink, on_error=lambda what, _: reported.append(what)) as outbox:
        broken = wait_record(1)
        broken.arrived_us = b"soon"  # type: ignore[assignment]  # that is what is wrong
        outbox.put(broken)
        outbox.put(wait_record(2))
        await trio.sleep(1)

        assert _ids(sink.written) == [2]
        assert outbox.statistics()["dropped"] == 1
        assert reported == ["encoding a wait record"]

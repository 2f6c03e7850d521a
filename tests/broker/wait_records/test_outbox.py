"""Records on their way out."""

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
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper
from tests.broker.wait_records.records import KeepingSink, wait_record

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def _running(sink: KeepingSink, room: int = 100) -> AsyncIterator[Outbox]:
    timer = SystemTimer("test", now_ms=TrioClock().now_ms)
    outbox = Outbox(timer, [sink], room=room)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, timer)
        nursery.start_soon(outbox.run)
        await trio.testing.wait_all_tasks_blocked()
        yield outbox
        nursery.cancel_scope.cancel()


def _ids(lines: list[bytes]) -> list[int]:
    return [json.loads(line)["correlation_id"] for line in lines]


async def test_records_go_out_a_little_after_the_first() -> None:
    """Together, in their order, and not before."""
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


async def test_a_full_outbox_drops_and_counts() -> None:
    """Nobody is held back; what fits later is taken again."""
    sink = KeepingSink()
    sink.may_write = trio.Event()
    async with _running(sink, room=2) as outbox:
        for number in range(5):
            outbox.put(wait_record(number))
        assert outbox.statistics() == {"pending": 2, "dropped": 3, "sinks": [{"written": 0}]}

        sink.may_write.set()
        await trio.sleep(1)
        outbox.put(wait_record(9))
        await trio.sleep(1)

        assert _ids(sink.written) == [0, 1, 9]


async def test_what_comes_while_a_slow_sink_writes_goes_out_later() -> None:
    """The alarm is set anew."""
    sink = KeepingSink()
    sink.may_write = trio.Event()
    async with _running(sink) as outbox:
        outbox.put(wait_record(1))
        await trio.sleep(1)
        outbox.put(wait_record(2))
        sink.may_write.set()
        await trio.sleep(1)

        assert _ids(sink.written) == [1, 2]


async def test_closing_sends_what_is_left() -> None:
    """Without any waiting."""
    sink = KeepingSink()
    async with _running(sink) as outbox:
        outbox.put(wait_record(1))
    outbox.close()

    assert _ids(sink.written) == [1]
    assert sink.closed


async def test_a_sink_that_raises_does_not_end_the_outbox() -> None:
    """What it has been given is its own affair; the other sinks and later records go on."""
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
    """Its request and the other records are not affected."""
    reported: list[str] = []
    sink = KeepingSink()
    async with _running(sink) as outbox:
        outbox._timer.on_error = lambda what, _error: reported.append(what)
        broken = wait_record(1)
        broken.arrived_us = b"soon"  # type: ignore[assignment]  # that is what is wrong
        outbox.put(broken)
        outbox.put(wait_record(2))
        await trio.sleep(1)

        assert _ids(sink.written) == [2]
        assert outbox.statistics()["dropped"] == 1
        assert reported == ["encoding a wait record"]

"""The sending side of a connection, without the receiving one."""

from __future__ import annotations

from typing import Any

import pytest
import trio
import trio.testing

from broker.network.sender import Sender
from broker.network.transport import Disconnected
from protocol.output import Output, SpliceLost
from tests.memory_transport import MemoryTransport, memory_transport_pair

pytestmark = pytest.mark.anyio


class FakeChannel:
    """Notes what its sender tells it."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport
        self.active_ms = 0.0
        self.events: list[str] = []

    def close(self) -> None:
        self.events.append("close")

    def break_down(self, bug: Exception) -> None:
        self.events.append(type(bug).__name__)

    def drained(self) -> None:
        self.events.append("drained")


class FakeRecorder:
    """Notes the records of responses that are sent."""

    def __init__(self) -> None:
        self.records: list[object] = []

    def sent(self, records: list[object]) -> None:
        self.records += records


class BrokenTransport(MemoryTransport):
    """Raises *error* when it is to send."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def send(self, parts: object) -> int:
        raise self.error


def made(
    transport: MemoryTransport, nursery: trio.Nursery
) -> tuple[Sender, FakeChannel, FakeRecorder]:
    """A sender, and those whom it talks to."""
    channel, recorder = FakeChannel(transport), FakeRecorder()
    sender = Sender(channel, nursery, lambda: 7.0, recorder)  # type: ignore[arg-type]  # a fake
    return sender, channel, recorder


def add(sender: Sender, size: int, record: Any = "record") -> None:
    """Queue a response of *size* bytes with its record."""
    out = Output()
    start = out.begin_frame()
    out += bytes(size - len(out))
    sender.unsent.add(out, start)
    sender.note(record)


async def test_what_fits_is_sent_at_once() -> None:
    """Without a task, and its record is complete."""
    ours, theirs = memory_transport_pair()
    async with trio.open_nursery() as nursery:
        sender, channel, recorder = made(ours, nursery)
        add(sender, 100)

        sender.flush()

        assert len(theirs.incoming) == 100
        assert recorder.records == ["record"]
        assert not nursery.child_tasks
        assert channel.events == []


async def test_the_rest_is_sent_as_the_socket_drains() -> None:
    """By one task, however often more is added meanwhile; then the channel goes on."""
    ours, theirs = memory_transport_pair(room=60)
    async with trio.open_nursery() as nursery:
        sender, channel, recorder = made(ours, nursery)
        for record in ("one", "two"):
            add(sender, 100, record)
            sender.flush()
        assert len(nursery.child_tasks) == 1
        assert not recorder.records

        taken = 0
        while taken < 200:
            await trio.testing.wait_all_tasks_blocked()
            taken += len(theirs.incoming)
            theirs.incoming.clear()
            ours.notify()

    assert recorder.records == ["one", "two"]
    assert channel.events == ["drained"]
    assert channel.active_ms == 7.0


async def test_a_peer_that_is_gone_closes_the_channel() -> None:
    """When something is sent, or while the rest waits for room."""
    async with trio.open_nursery() as nursery:
        sender, channel, _ = made(BrokenTransport(Disconnected("gone")), nursery)
        add(sender, 100)
        sender.flush()
        assert channel.events == ["close"]

        ours, theirs = memory_transport_pair(room=60)
        sender, channel, _ = made(ours, nursery)
        add(sender, 100)
        sender.flush()
        theirs.close()
        await trio.testing.wait_all_tasks_blocked()
        assert channel.events[0] == "close"


async def test_records_that_are_lost_while_they_are_sent_close_the_channel(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The response has begun and cannot end."""
    async with trio.open_nursery() as nursery:
        sender, channel, _ = made(BrokenTransport(SpliceLost("0.log was deleted")), nursery)
        add(sender, 100)

        sender.flush()

        assert channel.events == ["close"]
    assert "closing connection from memory: 0.log was deleted" in caplog.text


async def test_a_bug_ends_the_channel() -> None:
    """Nothing is raised to whoever completes a request."""
    async with trio.open_nursery() as nursery:
        sender, channel, _ = made(BrokenTransport(ZeroDivisionError()), nursery)
        add(sender, 100)

        sender.flush()

        assert channel.events == ["ZeroDivisionError"]


async def test_after_closing_nothing_is_sent() -> None:
    """What was unsent is dropped, and its record complete."""
    ours, theirs = memory_transport_pair()
    async with trio.open_nursery() as nursery:
        sender, _, recorder = made(ours, nursery)
        add(sender, 100)

        sender.close()
        sender.flush()

        assert sender.unsent.size_bytes == 0
        assert not theirs.incoming
        assert recorder.records == ["record"]

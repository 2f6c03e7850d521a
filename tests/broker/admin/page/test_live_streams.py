"""The streams of events to open pages."""

from __future__ import annotations

import json

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.admin.http import HttpError
from broker.admin.page.live_streams import STREAMS_MAX, LiveStreams
from broker.security.admin_tokens import AdminAccess
from tests.broker.admin.page.test_live_state import Source, live

pytestmark = pytest.mark.anyio


class Received:
    """What a page has received; it reads a part when ``reads`` is set."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.reads = trio.Event()
        self.reads.set()

    async def send(self, part: bytes) -> None:
        """Receive a part."""
        await self.reads.wait()
        self.parts.append(part)

    def events(self) -> list[tuple[str, object]]:
        """The names and values."""
        lines = [each.split("\n") for each in b"".join(self.parts).decode().split("\n\n") if each]
        return [
            (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
            for name, data in lines
        ]


@pytest.mark.parametrize("access", [AdminAccess.FULL, AdminAccess.READ])
async def test_the_first_event_names_what_the_client_may_do(access: AdminAccess) -> None:
    """A read-only token may not change anything, so the page has no buttons."""
    page = Received()
    async with live(Source()) as state, trio.open_nursery() as nursery:
        nursery.start_soon(LiveStreams(state).write, access, page.send)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    may_change = access is AdminAccess.FULL
    assert page.events() == [
        ("hello", {"may_change": may_change, "interval_ms": 200}),
        ("things", {"count": 1, "rows": [{"n": 1}]}),
        ("state", {"number": 1}),
    ]


async def test_only_parts_that_have_changed_are_sent() -> None:
    """The last event of a state is sent each time."""
    source, page = Source(), Received()
    async with live(source) as state, trio.open_nursery() as nursery:
        nursery.start_soon(LiveStreams(state).write, AdminAccess.FULL, page.send)
        await trio.sleep(1)
        page.parts.clear()
        source.changes.notify()
        await trio.sleep(1)
        nursery.cancel_scope.cancel()

    assert page.events() == [("state", {"number": 2})]


async def test_a_slow_page_gets_the_latest_state() -> None:
    """The states that it has missed are not kept for it."""
    source, slow, fast = Source(), Received(), Received()
    async with live(source) as state, trio.open_nursery() as nursery:
        streams = LiveStreams(state)
        nursery.start_soon(streams.write, AdminAccess.FULL, slow.send)
        nursery.start_soon(streams.write, AdminAccess.FULL, fast.send)
        await trio.sleep(1)
        slow.reads = trio.Event()
        for n in range(5):
            source.rows = [{"n": n}]
            source.changes.notify()
            await trio.sleep(1)
        slow.reads.set()
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert [value for name, value in fast.events() if name == "state"][-1] == {"number": 6}
    numbers = [value for name, value in slow.events() if name == "state"]
    assert numbers == [{"number": 1}, {"number": 2}, {"number": 6}]


async def test_the_number_of_streams_is_limited() -> None:
    """The next one is refused with 503, until another one ends."""
    async with live(Source()) as state, trio.open_nursery() as nursery:
        streams = LiveStreams(state)
        closed = trio.CancelScope()

        async def write_until_closed() -> None:
            with closed:
                await streams.write(AdminAccess.FULL, Received().send)

        nursery.start_soon(write_until_closed)
        for _ in range(STREAMS_MAX - 1):
            nursery.start_soon(streams.write, AdminAccess.FULL, Received().send)
        await wait_all_tasks_blocked()
        with pytest.raises(HttpError) as refused:
            await streams.write(AdminAccess.FULL, Received().send)
        closed.cancel()
        await wait_all_tasks_blocked()
        page = Received()
        nursery.start_soon(streams.write, AdminAccess.FULL, page.send)
        await trio.sleep(1)
        nursery.cancel_scope.cancel()

    assert refused.value.status == 503
    assert refused.value.message == "8 streams of events are open, which is the limit; close a page"
    assert page.events()

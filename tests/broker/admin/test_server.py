"""To whom the admin listener answers, and how many at a time."""

from __future__ import annotations

import pytest
import trio
from trio.testing import memory_stream_pair

from broker.admin.http import HttpConnection, HttpRequest, HttpResponse
from broker.admin.server import Room, gate


def test_loopback_answers_to_its_names() -> None:
    """localhost and both loopback addresses, with the port."""
    assert gate(("127.0.0.1", 1), None).hosts == frozenset(
        {"127.0.0.1:1", "localhost:1", "[::1]:1"}
    )


def test_an_address_answers_to_itself_only() -> None:
    """Off loopback the Host must be the address, and the token is asked for too."""
    assert gate(("10.0.0.5", 1), "t").hosts == frozenset({"10.0.0.5:1"})


def test_all_addresses_answer_to_any_name_with_the_token() -> None:
    """Behind 0.0.0.0 stand names nobody here knows, such as a container's."""
    assert gate(("0.0.0.0", 1), "t").hosts is None


async def never(_request: HttpRequest) -> HttpResponse:
    raise AssertionError("nothing is asked")


def connection(waits_since: float | None) -> HttpConnection:
    """A connection for whose client the broker waits since then; None: it is the other way."""
    made = HttpConnection(memory_stream_pair()[0], never)
    made.waits_since = waits_since
    return made


@pytest.mark.anyio
async def test_the_slowest_client_makes_room() -> None:
    """Not one that the broker keeps waiting, however long."""
    room, slowest = Room(3), connection(1)
    others = [connection(None), connection(2)]
    for each in (*others, slowest, connection(3)):
        assert room.enter(each)

    await slowest.serve()  # returns at once: it has been closed
    assert room.enter(connection(4))
    await others[1].serve()


@pytest.mark.anyio
async def test_who_waits_for_the_broker_makes_no_room() -> None:
    """A new connection is closed then, until one of them has its response."""
    room, waiting = Room(2), [connection(None), connection(None)]
    for each in waiting:
        assert room.enter(each)

    assert not room.enter(connection(trio.current_time()))
    room.leave(waiting[0])
    assert room.enter(connection(trio.current_time()))

"""The limit of connections of the admin interface."""

from __future__ import annotations

import pytest
import trio
from trio.testing import memory_stream_pair

from broker.admin.http import HttpConnection, HttpRequest, HttpResponse
from broker.admin.server import ConnectionLimit


async def never(_request: HttpRequest) -> HttpResponse:
    """Fail: no request is sent."""
    raise AssertionError


def connection(waits_since: float | None) -> HttpConnection:
    """A connection whose client the broker waits for since then; None: the client waits."""
    made = HttpConnection(memory_stream_pair()[0], never)
    made.waits_since = waits_since
    return made


@pytest.mark.anyio
async def test_the_slowest_connection_is_closed_for_a_new_one() -> None:
    """A connection whose client waits for the broker is not closed."""
    limit, slowest = ConnectionLimit(3), connection(1)
    others = [connection(None), connection(2)]
    for each in (*others, slowest, connection(3)):
        assert limit.add(each)

    await slowest.serve()  # returns at once: it has been closed
    assert limit.add(connection(4))
    await others[1].serve()


@pytest.mark.anyio
async def test_a_new_connection_is_closed_if_all_clients_wait_for_the_broker() -> None:
    """Until one of the others is removed."""
    limit, waiting = ConnectionLimit(2), [connection(None), connection(None)]
    for each in waiting:
        assert limit.add(each)

    assert not limit.add(connection(trio.current_time()))
    limit.remove(waiting[0])
    assert limit.add(connection(trio.current_time()))

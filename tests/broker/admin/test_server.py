"""The access rules of the admin listener and its limit of connections."""

from __future__ import annotations

import pytest
import trio
from trio.testing import memory_stream_pair

from broker.admin.http import HttpConnection, HttpRequest, HttpResponse
from broker.admin.server import ConnectionLimit, access_rules


def test_loopback_accepts_its_names() -> None:
    """``localhost`` and both loopback addresses, with the port."""
    assert access_rules(("127.0.0.1", 1), None).hosts == frozenset(
        {"127.0.0.1:1", "localhost:1", "[::1]:1"}
    )


def test_another_address_accepts_itself_only() -> None:
    """The Host must be the address, and the token is checked as well."""
    assert access_rules(("10.0.0.5", 1), "t").hosts == frozenset({"10.0.0.5:1"})


def test_all_addresses_accept_any_name_with_the_token() -> None:
    """The names of 0.0.0.0 are not known, such as that of a container."""
    assert access_rules(("0.0.0.0", 1), "t").hosts is None


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

"""What the admin listener serves, and to whom."""

from __future__ import annotations

import pytest

from broker.admin.http import HttpRequest
from broker.admin.routes import Router
from broker.admin.server import gate, routes

pytestmark = pytest.mark.anyio


class Facts:
    """A broker's word about itself."""

    def cluster(self) -> dict[str, object]:
        return {"nodes": []}

    def statistics(self) -> dict[str, object]:
        return {"connections": 3}


@pytest.mark.parametrize(
    ("path", "value"),
    [("/v1/cluster", {"nodes": []}), ("/v1/statistics", {"connections": 3})],
)
async def test_facts_are_served(path: str, value: object) -> None:
    """Each path gives what the broker says at that moment."""
    router = Router(routes(Facts()), gate(("127.0.0.1", 9644), None))

    response = await router(HttpRequest("GET", path, {"host": "localhost:9644"}))

    assert (response.status, response.value) == (200, value)


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

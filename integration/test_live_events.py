"""The server-sent events of the live page, without a browser."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from antechamber import Cluster
from integration.machine.deadlines import eventually
from integration.processes.antechamber import Serve

STREAMS_MAX = 8
TOKEN = "secret"


@contextmanager
def stream(
    admin: str, context: ssl.SSLContext | None = None, token: str = ""
) -> Iterator[HTTPResponse]:
    """A stream of events."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = Request(f"{admin}/v1/events", headers=headers)
    with urlopen(request, timeout=60, context=context) as response:
        yield response


def read_state(response: HTTPResponse) -> dict[str, Any]:
    """The values of the events until the end of a state."""
    found, name = {}, ""
    while name != "state":
        name = response.readline().decode().removeprefix("event: ").strip()
        found[name] = json.loads(response.readline().decode().removeprefix("data: "))
        response.readline()
    return found


def test_a_change_is_sent() -> None:
    """The first state has all parts, and the next one those that are different."""
    with Cluster(brokers=2, topics=["orders:1:2"]) as kafka, stream(kafka.admin) as response:
        first = read_state(response)
        kafka.pause(2)
        while "nodes" not in (later := read_state(response)):
            pass

    assert first["hello"] == {"may_change": True, "interval_ms": 200}
    assert first["records"] == {"count": None, "rows": []}
    assert "hello" not in later
    assert [each["state"] for each in later["nodes"]["rows"]] == ["running", "paused"]


def test_a_stream_over_tls_needs_the_token(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker sends, and notices a disconnect, on the same TLS connection."""
    monkeypatch.setenv("ANTECHAMBER_ADMIN_READ_ONLY_TOKEN", TOKEN)
    running = serve("--tls", "--admin-host", "0.0.0.0", "--topic", "orders")
    context = ssl.create_default_context(cafile=running.ready["tls"]["ca"])
    admin = running.ready["admin"]

    with pytest.raises(HTTPError, match="401"), stream(admin, context):
        pass
    with stream(admin, context, TOKEN) as response:
        assert read_state(response)["hello"] == {"may_change": False, "interval_ms": 200}
        assert read_state(response)["state"] == {"number": 2}


def test_the_number_of_streams_is_limited() -> None:
    """A stream that its client has closed does not count."""
    with Cluster() as kafka:
        responses = [urlopen(f"{kafka.admin}/v1/events", timeout=60) for _ in range(STREAMS_MAX)]
        for response in responses:
            read_state(response)
        with pytest.raises(HTTPError, match="503"), stream(kafka.admin):
            pass
        for response in responses:
            response.close()
        eventually(lambda: is_served(kafka.admin), "a stream again")


def is_served(admin: str) -> bool:
    """Whether a stream is not refused."""
    try:
        with stream(admin) as response:
            return bool(read_state(response))
    except HTTPError:
        return False


def test_a_stream_ends_with_the_broker() -> None:
    """An open page does not delay the stop."""
    with Cluster() as kafka:
        response = urlopen(f"{kafka.admin}/v1/events", timeout=60)
        read_state(response)

    while response.readline():
        pass
    response.close()

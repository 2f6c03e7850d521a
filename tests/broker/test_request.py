"""A request in progress."""

from __future__ import annotations

from typing import Any, cast

from broker.node import Node
from broker.request import Request
from protocol.headers import RequestHeader


class Sink:
    """Where answers go."""

    def __init__(self) -> None:
        self.answers: list[tuple[Request[Any], object | None]] = []
        self.muted_ms: list[int] = []

    def complete(self, request: Request[Any], response: object | None) -> None:
        """Remember."""
        self.answers.append((request, response))

    def mute(self, throttle_ms: int) -> None:
        """Remember."""
        self.muted_ms.append(throttle_ms)


def test_an_answer_goes_back_where_the_request_came_from() -> None:
    """The request knows its client and hands its answer to the connection it came by."""
    sink = Sink()
    header = RequestHeader(3, 9, 77, "me")
    request = Request(header, "body", cast("Node", None), sink, "127.0.0.1")

    request.respond("answer")

    assert (request.version, request.client_id, request.body) == (9, "me", "body")
    assert sink.answers == [(request, "answer")]


def test_a_client_is_throttled_by_the_connection_it_came_by() -> None:
    """Whose next request waits."""
    sink = Sink()
    request = Request(RequestHeader(0, 9, 1, "me"), "body", cast("Node", None), sink, "127.0.0.1")

    request.throttle(100)

    assert sink.muted_ms == [100]

"""The callback that responds to a parked request; a disconnect of the client disables it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from broker.api.request import Request
from broker.wait_records.wait import Wait

Result = TypeVar("Result")


class ResponseCallback(Generic[Result]):
    """Parks *request*, and responds with what *to_response* returns for the result of its call.

    *wait* describes the wait. An exception ends the request with an error response and is not
    raised to the caller.

    After the response or a disconnect it has no reference to the request, so a caller that keeps
    the callback does not keep the connection alive; calling it then has no effect.
    """

    __slots__ = ("_request", "_to_response")

    def __init__(
        self, request: Request[Any], to_response: Callable[[Result], object], wait: Wait
    ) -> None:
        self._request: Request[Any] | None = request
        self._to_response = to_response
        request.wait = wait
        request.on_disconnect = self.abandon

    def __call__(self, result: Result) -> None:
        """Respond, unless that has been done or the client has disconnected."""
        request, self._request = self._request, None
        if request is not None:
            request.on_disconnect = None
            request.attempt(self._respond, request, result)

    def _respond(self, request: Request[Any], result: Result) -> None:
        request.respond(self._to_response(result))

    def abandon(self) -> None:
        """Release the request after a disconnect of the client."""
        self._request = None

"""The way back to a parked request, which a disconnect cuts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from broker.api.request import Request

Result = TypeVar("Result")


class Parked(Generic[Result]):
    """A callback that answers a request with what *to_response* makes of its result.

    An exception ends this request with an error response; the caller does not notice it.

    It forgets the request when it has answered, or when the client goes away: whoever keeps the
    callback keeps neither connection nor request alive, and calling it then does nothing.
    """

    __slots__ = ("_request", "_to_response")

    def __init__(self, request: Request[Any], to_response: Callable[[Result], object]) -> None:
        self._request: Request[Any] | None = request
        self._to_response = to_response
        request.on_disconnect = self.abandon

    def __call__(self, result: Result) -> None:
        """Answer, if there is still somebody to answer."""
        request, self._request = self._request, None
        if request is not None:
            request.on_disconnect = None
            request.attempt(self._respond, request, result)

    def _respond(self, request: Request[Any], result: Result) -> None:
        request.respond(self._to_response(result))

    def abandon(self) -> None:
        """The client has gone away."""
        self._request = None

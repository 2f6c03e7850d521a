"""A request whose work takes more than one step of the loop.

Its body is large, or its handler is a generator function. Then decoding, handling and encoding are
one generator, which yields wherever it may be interrupted (`broker.steps.queue`). The request stays
the one in progress of its connection meanwhile, so that responses keep their order.

    decode --> handler --> encode --> respond       yields anywhere within the first three

A disconnect of the client cancels the rest of the work, and does not undo the work that is done.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.api.throttling import throttle
from broker.common.errors import ApiError
from broker.steps.limits import ITEMS_PER_REQUEST_MAX
from broker.steps.queue import Slices, are_slices
from protocol.codec import Output, StringTooLong
from protocol.errors import ErrorCode
from protocol.headers import begin_response
from protocol.slices import decode_slices, encode_slices

# Requests and responses of up to this many items are handled without slices.
ITEMS_AT_ONCE: Final = 16

# A longer response is an error instead, as in a Kafka whose heap has no room for it. librdkafka
# does not receive longer ones by default. Record sets that are not copied do not count.
_RESPONSE_BYTES_MAX: Final = 100_000_000

Handler = Callable[[Request[Any]], object]


def respond_in_slices(request: Request[Any], building: Slices[object]) -> None:
    """Respond with what *building* returns: a long response, or `NO_RESPONSE`.

    It is built and encoded in slices, which end with the connection.
    """
    outcome = LongRequest(request).handle(building)
    if outcome is not PARKED:
        request.respond(outcome)


class LongRequest:
    """The work of a request in slices; `decode` or `handle` runs the first.

    Both return what the handler returned, or `PARKED` while there are more slices to run; the
    request's ``job`` is set then.
    """

    __slots__ = ("_is_running", "_request", "_slices")

    def __init__(self, request: Request[Any]) -> None:
        self._request = request
        self._slices: Slices[object] | None = None
        self._is_running = False

    def decode(self, cls: Any, handler: Handler, body: memoryview) -> object:
        """Begin to decode *body*, and then run *handler*; raises `Malformed`.

        If decoding takes more than one slice it begins again on a copy: the memory of *body* is
        used for other requests after the first slice.
        """
        outcome = self._begin(self._decode(cls, handler, body))
        if self._request.job is self and self._request.body is None:
            self._slices = self._decode(cls, handler, memoryview(bytes(body)))
        return outcome

    def handle(self, handled: Slices[object]) -> object:
        """Begin to run the generator that a handler has returned."""
        return self._begin(self._handle(handled))

    def advance(self) -> None:
        """Run one more slice (`Work.advance`)."""
        if self._slices is not None:
            self._request.resume(self._request, self._run, self._slices)

    def abandon(self) -> None:
        """Cancel the rest of the work: the client has disconnected."""
        slices, self._slices = self._slices, None
        if slices is not None and not self._is_running:
            slices.close()

    def _begin(self, slices: Slices[object]) -> object:
        self._slices = slices
        return self._run(slices)

    def _run(self, slices: Slices[object]) -> object:
        request = self._request
        self._is_running = True
        try:
            signal = request.services.steps.run_slice(slices)
        except StopIteration as end:
            self._slices = None
            if request.job is self:
                request.job = None
            outcome: object = end.value
            return outcome
        finally:
            self._is_running = False
        request.job, request.on_disconnect = self, self.abandon
        request.services.steps.enqueue(self, signal)
        return PARKED

    def _decode(self, cls: Any, handler: Handler, body: memoryview) -> Slices[object]:
        request = self._request
        decoding = decode_slices(cls, request.version, body, items_max=ITEMS_PER_REQUEST_MAX)
        request.body = yield from decoding
        outcome = handler(request)
        if are_slices(outcome):
            return (yield from self._handle(outcome))
        return outcome

    def _handle(self, handled: Slices[object]) -> Slices[object]:
        outcome = yield from handled
        if not isinstance(outcome, Outcome):
            throttle(self._request, outcome)
            out = Output()
            begin_response(out, self._request.header)
            with suppress(StringTooLong):  # `response_frame` detects it again
                for _ in encode_slices(out, outcome, self._request.version):
                    if len(out) > _RESPONSE_BYTES_MAX:
                        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
                    yield None
                self._request.encoded = out
        return outcome

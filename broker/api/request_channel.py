"""Sends the responses of requests to their connections (Kafka's ``RequestChannel``).

    response --encode--> frame --> connection
       `-- or an error response, or the end of the connection (`broker.api.response_frame`)

Each end of a request, with or without a response, notifies tasks that wait for state changes, and
completes the request's wait record if requests are recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from broker.api.faults.after import apply_after
from broker.api.outcome import PARKED
from broker.api.request import Request
from broker.api.response_frame import error_frame, response_frame
from broker.api.throttling import record_time, throttle
from broker.common.errors import Refused
from broker.common.state_changes import StateChanges
from broker.common.unexpected_errors import UnexpectedErrors
from broker.network.clients.in_progress import CloseReason
from broker.wait_records.causes import CauseKind
from broker.wait_records.recorder import Recorder
from broker.wait_records.wait import Wait
from protocol.codec import Output
from protocol.errors import ErrorCode

_CAUSES: Final = {
    CloseReason.DISCONNECT: CauseKind.DISCONNECT,
    CloseReason.ERROR: CauseKind.ERROR,
    CloseReason.SHUTDOWN: CauseKind.SHUTDOWN,
}


class RequestChannel:
    """The channel of one node; without *recorder* requests are not recorded."""

    def __init__(
        self,
        state_changes: StateChanges,
        unexpected_errors: UnexpectedErrors,
        recorder: Recorder | None,
    ) -> None:
        self._state_changes = state_changes
        self._unexpected_errors = unexpected_errors
        self._recorder = recorder

    def send_response(self, request: Request[Any], response: object | None) -> None:
        """Send the response of the request in progress; None if it has none."""
        self._state_changes.notify()
        sink = request.sink
        if sink.is_closed:
            return
        if request.fault is not None:
            response = apply_after(request, response)
            if response is PARKED:
                return
        out = None
        if response is not None:
            if request.encoded is None:
                throttle(request, response)
            frame = response_frame(request, response)
            if frame is None:
                sink.refuse(Refused("neither the response nor an error response can be encoded"))
                return
            response, out = frame
        self._complete(request, response, out)

    def sent_in_pieces(self, request: Request[Any], response: object) -> None:
        """Complete *request*, whose response was sent by ``sink.send_piece``."""
        self._state_changes.notify()
        self._complete(request, response, None)

    def park_again(
        self, request: Request[Any], wait: Wait, on_disconnect: Callable[[], object]
    ) -> None:
        """Hold the response of *request*, which is ready."""
        if self._recorder is not None:
            self._recorder.end_wait(request)
        request.wait, request.on_disconnect = wait, on_disconnect
        if self._recorder is not None:
            self._recorder.parked(request)
        self._state_changes.notify()

    def _complete(self, request: Request[Any], response: object | None, out: Output | None) -> None:
        sink, on_sent = request.sink, None
        if request.observer is not None:
            on_sent = self._record(request, response)
        _release(request)
        if request.throttled is not None:
            sink.mute(request.throttled)
        sink.respond(request, out, on_sent)

    def send_error(
        self, request: Request[Any], code: ErrorCode, message: str | None = None
    ) -> None:
        """Send the API's error response, and abandon what *request* waits for.

        Closes the connection where Kafka has no response (acks=0), or if it cannot be encoded. Does
        nothing if *request* is no longer the one in progress.
        """
        sink = request.sink
        if sink.is_closed or sink.in_progress is not request:
            return
        on_disconnect, request.on_disconnect = request.on_disconnect, None
        if on_disconnect is not None:
            on_disconnect()
        request.job = None
        record_time(request, code)
        throttle_time_ms = 0 if request.throttled is None else request.throttled.time_ms
        if frame := error_frame(request, code, message, throttle_time_ms):
            response, request.encoded = frame
            self.send_response(request, response)
        else:
            self._state_changes.notify()
            sink.refuse(Refused(f"a request failed with {code.name} and has no error response"))

    def abandoned(self, request: Request[Any], reason: CloseReason) -> None:
        """Complete the wait record of a request whose connection was closed."""
        if request.observer is not None:
            assert self._recorder is not None
            self._recorder.abandoned(request, _CAUSES[reason])
        _release(request)

    def _record(
        self, request: Request[Any], response: object | None
    ) -> Callable[[], object] | None:
        """Complete the wait record, except for the time at which the response is sent.

        The result is to be called then. An exception does not prevent the response.
        """
        assert self._recorder is not None
        try:
            record = self._recorder.completed(request, response)
        except Exception as error:
            self._unexpected_errors.elsewhere("recording a request", error)
            return None
        request.sink.free_ms = record.completed_ms
        return partial(self._recorder.sent, record)


def _release(request: Request[Any]) -> None:
    """Break the cycle of a parked request and its operation, which holds the request."""
    request.on_disconnect = None
    if request.wait is not None:
        request.wait.release()
        request.wait = None

"""Applies fault rules to a request whose handler has run, in place of its response."""

from __future__ import annotations

from functools import partial
from typing import Any

from broker.api.faults.corruption import corrupted
from broker.api.faults.held_request import HeldRequest
from broker.api.faults.slow_response import SlowResponse
from broker.api.outcome import PARKED
from broker.api.request import Request
from broker.api.response_frame import error_frame
from broker.common.errors import Refused
from broker.faults.actions import Close, Delay, Error, Hang, Slow
from broker.faults.rule import FaultRule


def apply_after(request: Request[Any], response: object | None) -> object | None:
    """The response to send; `PARKED` if none is sent now. The rule does not apply again."""
    fault, request.fault = request.fault, None
    assert fault is not None
    rule = fault.rule
    if rule is None:
        return corrupted(request, fault, response)
    action = rule.spec.action
    if isinstance(action, Error):
        return _error(request, rule, action)
    if isinstance(action, Close):
        request.sink.drop(Refused(f"{rule.words} closes the connection"))
    elif isinstance(action, Hang):
        _park(request, HeldRequest(request, rule, "hang_response"))
    elif isinstance(action, Delay):
        send = partial(request.services.request_channel.send_response, request, response)
        _park(request, HeldRequest(request, rule, "delay_response", action.ms, send))
    elif isinstance(action, Slow) and response is not None:
        _park(request, SlowResponse(request, rule, response, action.bytes_per_second))
    else:
        return response
    return PARKED


def _error(request: Request[Any], rule: FaultRule, action: Error) -> object:
    throttle_time_ms = 0 if request.throttled is None else request.throttled.time_ms
    words = f"{rule.words} responds with it"
    frame = error_frame(request, action.code, words, throttle_time_ms)
    if frame is None:  # as with acks=0
        request.sink.drop(Refused(f"{rule.words} has no error response for this request"))
        return PARKED
    response, request.encoded = frame
    return response


def _park(request: Request[Any], held: HeldRequest | SlowResponse) -> None:
    request.services.request_channel.park_again(request, held.wait, held.abandon)

"""Applies fault rules to a decoded request before its handler runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from broker.api.faults.held_request import HeldRequest
from broker.api.outcome import PARKED
from broker.api.request import Request
from broker.common.errors import ApiError, Refused
from broker.faults.actions import Close, Delay, Error, HalfOpen, Hang, StaleMetadata, Throttle
from broker.faults.index import RuleIndex
from broker.faults.node_change import NodeChange
from broker.faults.request_fault import RequestFault
from broker.faults.rule import FaultRule
from broker.quotas import throttle
from protocol.codec import decode
from protocol.messages.fetch import FetchRequest

Handler = Callable[[Request[Any]], object]

# The rules for the API, its handler, the body in memory that is reused after the call (None if the
# body has its own memory), and the request.
WithRules = tuple[RuleIndex, Handler, memoryview | None, Request[Any]]


def handle_with_rules(given: WithRules) -> object:
    """Run the handler, unless a rule fires that acts before; returns what handlers return."""
    index, handler, encoded, request = given
    services, header, body = request.services, request.header, request.body
    node = services.node_id
    candidates = index.candidates(header, body, request.session, node)
    groups = candidates.of_all_names
    if groups is None:
        names = services.image.names
        if candidates.are_of_fetches and body.session_id:
            groups = candidates.matching_session(body, names, _of_session(request))
        else:
            groups = candidates.matching(body, names)
    if groups and (fault := services.faults.fire(groups, header, node)) is not None:
        if fault.rule is not None:
            return _fire(fault.rule, handler, encoded, request)
        request.fault = fault
    return handler(request)


def handle_large_with_rules(index: RuleIndex, handler: Handler, request: Request[Any]) -> object:
    """As `handle_with_rules`, with a body that has its own memory."""
    return handle_with_rules((index, handler, None, request))


def _fire(
    rule: FaultRule, handler: Handler, encoded: memoryview | None, request: Request[Any]
) -> object:
    """Let *rule* act, and run *handler* unless that is its act."""
    if request.observer is not None:
        request.observer.record.fault = rule.label
    action = rule.spec.action
    if isinstance(action, Error | Close | Hang) and not action.after:
        return _end(request, rule)
    if isinstance(action, HalfOpen):
        return _hold(request, HeldRequest(request, rule, "half_open"))
    if isinstance(action, Delay) and not action.of_response:
        _keep(request, encoded)
        then = partial(request.resume, request, handler, request)
        return _hold(request, HeldRequest(request, rule, "delay_request", action.ms, then))
    if isinstance(action, Throttle):
        request.throttle(throttle.Throttle(action.ms, throttle.FAULT_RULE, (), 0.0, 0.0))
    elif isinstance(action, NodeChange):
        request.services.faults.change_node(action)
    elif isinstance(action, StaleMetadata):
        request.services = replace(request.services, image=rule.image)
    else:
        request.fault = RequestFault(rule, ())
    return handler(request)


def _end(request: Request[Any], rule: FaultRule) -> object:
    """Let the request have no effect."""
    action = rule.spec.action
    if isinstance(action, Error):
        raise ApiError(action.code, f"{rule.words} responds with it")
    if isinstance(action, Close):
        raise Refused(f"{rule.words} closes the connection")
    return _hold(request, HeldRequest(request, rule, "hang"))


def _hold(request: Request[Any], held: HeldRequest) -> object:
    request.wait, request.on_disconnect = held.wait, held.abandon
    return PARKED


def _keep(request: Request[Any], encoded: memoryview | None) -> None:
    """Keep the body valid after the handler has returned."""
    if encoded is not None and not request.keep():
        copied = memoryview(bytes(encoded))
        request.body = decode(type(request.body), request.version, copied)


def _of_session(request: Request[FetchRequest]) -> list[tuple[str, int]]:
    """The partitions of the fetch session, which the request does not name."""
    session = request.services.fetch_sessions.get(request.body.session_id)
    image = request.services.image
    found = [] if session is None else session.partitions.values()
    known = [(each.find_topic(image), each.key.partition) for each in found]
    return [(topic.name, partition) for topic, partition in known if topic is not None]

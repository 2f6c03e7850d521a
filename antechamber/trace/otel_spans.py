"""Requests as spans of OpenTelemetry.

    server span    a request, in a trace of its own
    child          a phase: queue, local and send; park, for each wait
    link           of a wait and of its request: the request that completed the wait;
                   of a request: the spans of applications that its records belong to

Ids are derived from what identifies a request, so that a request has the same ids in each export,
and a link is valid also if the request that it names was exported before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    Link,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
)

from antechamber.explain import explanation
from antechamber.sentences import phrases
from antechamber.trace.releases import Release, releases
from antechamber.trace.spans import Record, Span, Wait, spans

_SCOPE = InstrumentationScope("antechamber")
_NAMES = {"queued": "queue", "handled": "local", "sent": "send"}
_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_NS = 1000  # nanoseconds in a microsecond


def otel_spans(records: Sequence[Record], before: Sequence[Record] = ()) -> list[ReadableSpan]:
    """The spans of the *records* of requests that have ended.

    Requests of *before* can be linked, and have no spans themselves.
    """
    ended = [each for each in spans(records) if each.has_ended]
    known = [*(each for each in spans(before) if each.has_ended), *ended]
    by_wait = {release.wait: release for release in releases(known)}
    return [made for each in ended for made in _of_request(each, by_wait)]


def _of_request(request: Span, by_wait: Mapping[Wait, Release]) -> Iterator[ReadableSpan]:
    record = request.record
    resource = _resource(record["node"])
    identity = _Identity(record)
    server = identity.context()
    failed = [each["error"] for each in record["partitions"] if each.get("error")]
    if record.get("error"):
        failed.insert(0, record["error"])
    linked = [by_wait[wait] for wait in request.waits if wait in by_wait]
    yield ReadableSpan(
        record["api"],
        server,
        resource=resource,
        attributes=_request_attributes(record, failed),
        links=[*map(_link, linked), *map(_application_link, record.get("traces") or ())],
        kind=SpanKind.SERVER,
        status=Status(StatusCode.ERROR, f"error code {failed[0]}") if failed else Status(),
        start_time=request.begin_us * _NS,
        end_time=request.end_us * _NS,
        instrumentation_scope=_SCOPE,
    )
    for phase in request.phases:
        if phase.name in _NAMES:
            name, (_, begin_us, end_us) = _NAMES[phase.name], phase
            yield _child(name, identity, server, resource, begin_us, end_us)
    for wait in request.waits:
        yield _child(
            "park",
            identity,
            server,
            resource,
            wait.begin_us,
            wait.end_us,
            attributes=_wait_attributes(wait),
            events=[*_checks(wait), _completion(wait)],
            links=[_link(by_wait[wait])] if wait in by_wait else [],
        )


def _child(
    name: str,
    identity: _Identity,
    parent: SpanContext,
    resource: Resource,
    begin_us: int,
    end_us: int,
    **more: Any,
) -> ReadableSpan:
    return ReadableSpan(
        name,
        identity.context(f"{name} {begin_us}"),
        parent=parent,
        resource=resource,
        start_time=begin_us * _NS,
        end_time=end_us * _NS,
        instrumentation_scope=_SCOPE,
        **more,
    )


class _Identity:
    """What identifies a request, from which its ids are derived."""

    def __init__(self, record: Record) -> None:
        names = ("node", "connection", "correlation_id", "arrived_us", "api")
        self._text = " ".join(str(record[name]) for name in names)
        self._trace = int.from_bytes(sha256(self._text.encode()).digest()[:16], "big")

    def context(self, part: str = "") -> SpanContext:
        """The ids of the request, or of a *part* of it."""
        span = int.from_bytes(sha256(f"{self._text} {part}".encode()).digest()[:8], "big")
        return SpanContext(self._trace, span, is_remote=False, trace_flags=_SAMPLED)


def _link(release: Release) -> Link:
    by = release.by.record
    named = {"antechamber.relation": "completed", "antechamber.request": release.by.name}
    return Link(_Identity(by).context(), named)


def _application_link(trace_parent: str) -> Link:
    """The span that a ``traceparent`` header names (W3C Trace Context)."""
    _, trace, span, flags = trace_parent.split("-")
    context = SpanContext(
        int(trace, 16), int(span, 16), is_remote=True, trace_flags=TraceFlags(int(flags, 16))
    )
    return Link(context, {"antechamber.relation": "record"})


def _checks(wait: Wait) -> Iterator[Event]:
    """The events after which the condition was checked and was not met."""
    for each in wait.facts.get("checked") or ():
        at_us = min(wait.begin_us + each["after_us"], wait.end_us)
        yield Event("checked", _cause_attributes(each), timestamp=at_us * _NS)


def _completion(wait: Wait) -> Event:
    """The end of the wait, with its cause and how often the condition had been checked."""
    named = _cause_attributes(wait.facts["completed_by"])
    if wait.facts.get("checks") is not None:
        named["antechamber.checks"] = wait.facts["checks"]
    return Event("completed", named, timestamp=wait.end_us * _NS)


def _cause_attributes(cause: Record) -> dict[str, Any]:
    return _known(
        {
            "antechamber.cause": cause["cause"],
            "messaging.destination.name": cause.get("topic"),
            "antechamber.partition": cause.get("partition"),
            "antechamber.offset": cause.get("offset"),
            "antechamber.replica": cause.get("replica"),
        }
    )


def _request_attributes(record: Record, failed: Sequence[int]) -> dict[str, Any]:
    partitions = record["partitions"]
    return _known(
        {
            "messaging.system": "kafka",
            "messaging.operation.name": record["api"],
            "messaging.client.id": record["client_id"],
            "messaging.destination.name": partitions[0]["topic"] if len(partitions) == 1 else None,
            "messaging.destination.partition.id": (
                str(partitions[0]["partition"]) if len(partitions) == 1 else None
            ),
            "enduser.id": record.get("principal"),
            "antechamber.api_version": record.get("version"),
            "antechamber.correlation_id": record["correlation_id"],
            "antechamber.connection": record["connection"],
            "antechamber.listener": record.get("listener"),
            "antechamber.partitions": [phrases.name(each) for each in partitions] or None,
            "antechamber.errors": sorted({*failed}) or None,
            "antechamber.explanation": " ".join(explanation(record)),
        }
    )


def _wait_attributes(wait: Wait) -> dict[str, Any]:
    waited_for = wait.facts.get("waited_for") or {}
    return _known(
        {
            "antechamber.purgatory": wait.purgatory,
            "antechamber.timeout_ms": wait.facts.get("timeout_ms"),
            "antechamber.waited_for": waited_for.get("kind"),
            "antechamber.need": waited_for.get("need"),
            "antechamber.had": waited_for.get("had"),
            "antechamber.replicas_behind": waited_for.get("behind"),
        }
    )


def _known(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}


@cache
def _resource(node: int) -> Resource:
    return Resource({SERVICE_NAME: "antechamber", SERVICE_INSTANCE_ID: f"node {node}"})

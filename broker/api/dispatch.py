"""Decodes requests, runs their handlers and sends their responses.

An API or version that is not served closes the connection, as in Kafka, except that the response to
an unknown version of ApiVersions is one of version 0 (KIP-511). Bytes that do not follow the schema
are `Malformed` and close the connection too. An exception in the work of a request ends in an error
response, here or, for work that is done later, in `Request.attempt`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from broker.api.apis import Apis
from broker.api.faults.before import handle_large_with_rules, handle_with_rules
from broker.api.handlers.cluster.api_versions import unsupported_version
from broker.api.long_request import LongRequest
from broker.api.outcome import PARKED
from broker.api.request import Request, ResponseSink
from broker.api.services import Services
from broker.api.table import ALL_APIS
from broker.api.throttling import begin_step
from broker.common.errors import Refused
from broker.network.clients.connection import Connection
from broker.steps.limits import DECODED_AT_ONCE_BYTES, HEADER_COPIED_BYTES
from broker.steps.queue import are_slices
from broker.wait_records.recorder import Recorder
from protocol.api_names import api_name
from protocol.codec import COPIED_BYTES_MAX, Malformed, decode_at, is_ready
from protocol.headers import API_VERSIONS_KEY, RequestHeader, decode_request_header, peek
from protocol.messages.api_versions import ApiVersionsRequest

log = logging.getLogger("antechamber.requests")

Result = TypeVar("Result")

# A request that is decoded in one step is copied as a whole.
assert max(COPIED_BYTES_MAX, DECODED_AT_ONCE_BYTES) <= HEADER_COPIED_BYTES


class Dispatcher:
    """Starts the requests of one node that are in *apis*.

    ``condition`` is a phrase for the log: when only these are served. Then the client has not
    logged in yet, and its requests have no quota.
    """

    def __init__(
        self,
        services: Services,
        recorder: Recorder | None,
        apis: Apis = ALL_APIS,
        condition: str = "",
    ) -> None:
        self._services = services
        self._recorder = recorder
        self._apis = apis
        self._condition = condition
        self._request_quota = None if condition else services.client_quotas.request
        self._steps = services.steps
        self._actions = services.replicas.actions
        self._rules = services.faults.for_requests
        self._is_logged = log.isEnabledFor(logging.INFO)
        self._resume = self.resume  # bound once, not for each request

    def __call__(self, connection: Connection, frame: memoryview, arrived_ms: float) -> None:
        """Decode *frame* and hand it to its handler; raises `Malformed` or `Refused`."""
        size = len(frame)
        raw = bytes(frame[:HEADER_COPIED_BYTES] if size > HEADER_COPIED_BYTES else frame)
        key, version, correlation_id = peek(raw)
        entry = self._apis.get(key)
        if entry is None:
            raise Refused(f"{_named(key)} is not served{self._condition}")
        cls, handler = entry
        if version not in cls.__spec__.versions:
            if cls is not ApiVersionsRequest:
                raise Refused(f"{cls.__name__} v{version} is not served")
            return self._respond_with_own_versions(connection, version, correlation_id, arrived_ms)
        services = self._services
        peer = connection.peer
        is_large = size > DECODED_AT_ONCE_BYTES and not is_ready(cls, version, size)
        try:
            header, start = decode_request_header(frame, raw, key, version, correlation_id)
            body = None if is_large else decode_at(cls, version, raw, frame, start)
        except Malformed:
            raise
        except Exception as error:
            header = RequestHeader(key, version, correlation_id, None)
            services.unexpected_errors.in_frame(header, peer, error)
            raise Refused("the request cannot be decoded") from error
        request = Request(
            header,
            body,
            services,
            self._resume,
            connection,
            peer,
            arrived_ms,
            size,
            connection.session,
        )
        index = self._rules.get(key) if self._rules else None
        self._begin(connection, request)
        if is_large:
            encoded = frame[start:]
            if index is not None:
                encoded = memoryview(bytes(encoded))
                handler = partial(handle_large_with_rules, index, handler)
            long = LongRequest(request)
            self._handle(connection, request, partial(long.decode, cls, handler), encoded)
        elif index is not None:
            self._handle(
                connection, request, handle_with_rules, (index, handler, frame[start:], request)
            )
        else:
            self._handle(connection, request, handler, request)
        if self._is_logged:
            _log(connection, request)
        return None

    def with_apis(self, apis: Apis, condition: str) -> Dispatcher:
        """A dispatcher of the same node that serves other APIs."""
        return Dispatcher(self._services, self._recorder, apis, f" {condition}")

    def _begin(self, connection: Connection, request: Request[Any]) -> None:
        """Make *request* the one in progress of *connection*, and count and record it."""
        if (recorder := self._recorder) is not None:
            services = self._services
            hosted = services.replicas.partitions
            recorder.begin(request, services.node_id, connection.id, connection.free_ms, hosted)
            if connection.muted_by is not None:
                assert request.observer is not None
                if request.arrived_ms < connection.free_ms:
                    request.observer.record.muted_by = connection.muted_by
                connection.muted_by = None
        client, client_id = connection.client, request.header.client_id
        if client_id != client.client_id or client.tally is None:
            client.client_id = client_id
            client.tally = self._services.request_counts.tally(client_id)
        client.tally[request.header.api_key] += 1
        client.requests += 1
        connection.begin(request)

    def resume(
        self, request: Request[Any], step: Callable[[Result], object], given: Result
    ) -> None:
        """Continue a request whose handler has returned: *step* is the rest of the handler."""
        if (recorder := self._recorder) is not None:
            recorder.resume(request)
        request.wait = None
        try:
            self._handle(request.sink, request, step, given)
        except (Malformed, Refused) as reason:
            request.sink.refuse(reason)
        request.sink.resume()

    def _handle(
        self,
        sink: ResponseSink,
        request: Request[Any],
        step: Callable[[Result], object],
        given: Result,
    ) -> None:
        """Run *step* with *given*, send its response or park the request, and run queued actions.

        An exception ends in an error response; `Malformed` and `Refused` are raised.
        """
        recorder, quota = self._recorder, self._request_quota
        self._steps.request = request.header
        if quota is not None and quota.quotas_enabled:
            begin_step(request)
        try:
            outcome = step(given)
            if are_slices(outcome):
                outcome = LongRequest(request).handle(outcome)
            if outcome is not PARKED:
                request.respond(outcome)
                return
            if sink.in_progress is request:
                # A JoinGroup that completes its own join is responded to by a queued action.
                self._actions.try_complete_actions()
            if sink.in_progress is request:
                self._services.state_changes.notify()
                if recorder is not None and not request.is_in_steps:
                    recorder.parked(request)
        except (Malformed, Refused):
            raise
        except Exception as error:
            request.failed(error)
        finally:
            self._end_step(request)

    def _end_step(self, request: Request[Any]) -> None:
        """Run the queued actions, which are not part of the request's work."""
        if request.handling_time is not None:
            request.handling_time.end()
        try:
            self._actions.try_complete_actions()
        finally:
            if self._recorder is not None:
                self._recorder.end()

    def _respond_with_own_versions(
        self, connection: Connection, requested_version: int, correlation_id: int, arrived_ms: float
    ) -> None:
        """Respond in version 0, which every client can decode."""
        header = RequestHeader(API_VERSIONS_KEY, 0, correlation_id, None)
        services, peer = self._services, connection.peer
        request = Request(header, None, services, self._resume, connection, peer, arrived_ms)
        self._begin(connection, request)
        if self._recorder is not None:
            assert request.observer is not None
            request.observer.record.header = replace(header, api_version=requested_version)
            self._recorder.end()
        own = next(each for each in services.api_versions if each.api_key == API_VERSIONS_KEY)
        request.respond(unsupported_version(own))


def _named(key: int) -> str:
    """The name of an API in a log line; an unknown key is called one."""
    name = api_name(key)
    return f"API key {key}" if name.isdecimal() else name


def _log(connection: Connection, request: Request[Any]) -> None:
    log.info(
        "%s %s v%d correlation=%d client=%s",
        connection.peer,
        api_name(request.header.api_key),
        request.version,
        request.header.correlation_id,
        request.client_id,
    )

"""The requests and responses of one connection, and the record made from each pair.

Kafka processes one request of a connection at a time, so the time until the previous response was
complete is queue time. The proxy cannot see inside the broker: ``local_us`` contains both waiting
and processing, the listener is null, and the cause of a completion is ``unknown``, unless the
client or this proxy closed the connection. Tokens without a header are forwarded and not recorded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from protocol.api_names import api_name
from protocol.codec import Malformed, decode
from protocol.headers import RequestHeader, decode_request_header, peek
from protocol.messages import REQUESTS
from recorder.addresses import FETCH, METADATA, PRODUCE, Local, decoded, rewritten
from recorder.login import Login
from recorder.partitions import Offsets, fetched, produced, remember_offsets

SCHEMA = 1
UNKNOWN, DISCONNECT, SHUTDOWN = "unknown", "disconnect", "shutdown"
_SASL_HANDSHAKE, _SASL_AUTHENTICATE = 17, 36
# The requests whose bodies are decoded.
_READ = (PRODUCE, FETCH, _SASL_HANDSHAKE, _SASL_AUTHENTICATE)
_NO_ID = UUID(int=0)
_CLIENT_ID = 10  # its offset in a request; its length is before it

Record = dict[str, Any]


@dataclass(slots=True)
class _PendingRequest:
    header: RequestHeader
    body: Any | None  # not that of SaslAuthenticate, which has a password
    arrived_us: int
    principal: str | None


class TopicNames:
    """Topic names by topic id, from forwarded Metadata responses."""

    def __init__(self) -> None:
        self._names: dict[UUID, str] = {}

    def learn(self, metadata: Any) -> None:
        """Store the names in a Metadata response."""
        self._names |= {topic.topic_id: topic.name for topic in metadata.topics if topic.name}

    def __call__(self, name: str, topic_id: UUID) -> str:
        """Return *name* if it is not empty, the name of *topic_id* if known, or the id as text."""
        return name or self._names.get(topic_id, "" if topic_id == _NO_ID else str(topic_id))


class Exchange:
    """Makes records of connection number *connection*; *node_id* may be unknown."""

    def __init__(
        self, connection: int, node_id: Callable[[], int | None], names: TopicNames, local: Local
    ) -> None:
        self._connection = connection
        self._node_id = node_id
        self._names = names
        self._local = local
        self._waiting: deque[_PendingRequest | None] = deque()  # None: a token without a header
        self._login = Login()
        self._offsets: Offsets = {}
        self._free_us = 0

    def request(self, frame: bytes, now_us: int) -> Record | None:
        """Process a complete request; returns a record if there will be no response."""
        login = self._login
        if login.expects_raw_token:
            login.token(frame)
            self._waiting.append(None)
            return None
        header, body = _read_request(frame)
        if header.api_key == _SASL_AUTHENTICATE and body is not None:
            login.token(bytes(body.auth_bytes))
            body = None
        entry = _PendingRequest(header, body, now_us, login.principal)
        if header.api_key == FETCH and body is not None:
            remember_offsets(body, self._offsets, self._names)
        if header.api_key == PRODUCE and body is not None and body.acks == 0:
            return self._record(entry, None, now_us, now_us, self._partitions(entry, None))
        self._waiting.append(entry)
        return None

    def response(self, frame: bytes, now_us: int) -> tuple[bytes, Callable[[int], Record | None]]:
        """Process a complete response; returns what to send and a function that makes its record.

        The function takes the time when the response was sent. The response to a token without a
        header has no record. Raises `Malformed` for a response without a request.
        """
        if not self._waiting:
            raise Malformed("a response without a request")
        entry = self._waiting.popleft()
        if entry is None:
            self._login.accepted()
            return frame, lambda _: None
        body = decoded(entry.header, frame)
        if body is not None:
            self._follow_login(entry, body)
            frame = rewritten(entry.header, frame, body, self._local)
            if entry.header.api_key == METADATA:
                self._names.learn(body)
        # Evaluated now: when the response is sent, the next Fetch may have changed the offsets.
        partitions = self._partitions(entry, body)
        return frame, lambda sent_us: self._record(entry, body, now_us, sent_us, partitions)

    def abandoned(self, now_us: int, cause: str) -> Record | None:
        """Return a record of the request in progress when the connection ends, if any.

        Later requests of the connection were not started. Without this record the longest waits
        would be missing: those after which the client closed the connection.
        """
        if not self._waiting:
            return None
        entry = self._waiting.popleft()
        if entry is None:
            return None
        partitions = self._partitions(entry, None)
        return self._record(entry, None, now_us, now_us, partitions, cause)

    def _follow_login(self, entry: _PendingRequest, response: Any) -> None:
        """Advance the login, if the response is a part of it and has no error."""
        key = entry.header.api_key
        if key == _SASL_HANDSHAKE and entry.body is not None and not response.error_code:
            self._login.begin(entry.body.mechanism, entry.header.api_version)
        elif key == _SASL_AUTHENTICATE and not response.error_code:
            self._login.accepted()

    def _record(
        self,
        entry: _PendingRequest,
        response: Any | None,
        responded_us: int,
        sent_us: int,
        partitions: list[dict[str, Any]],
        cause: str = UNKNOWN,
    ) -> Record:
        header, arrived_us = entry.header, entry.arrived_us
        queued_us = max(0, min(self._free_us, responded_us) - arrived_us)
        self._free_us = sent_us
        return {
            "schema": SCHEMA,
            "node": self._node_id(),
            "connection": self._connection,
            "client_id": header.client_id,
            "principal": entry.principal,
            "listener": None,
            "correlation_id": header.correlation_id,
            "api": api_name(header.api_key),
            "version": header.api_version,
            "arrived_us": arrived_us,
            "queued_us": queued_us,
            "local_us": responded_us - arrived_us - queued_us,
            "parked_us": 0,
            "send_us": sent_us - responded_us,
            "total_us": sent_us - arrived_us,
            "purgatory": None,
            "waited_for": None,
            "timeout_ms": _timeout_ms(header.api_key, entry.body),
            "checks": None,
            "completed_by": {"cause": cause},
            "earlier_waits": [],
            "stalled_by": None,
            "throttle": None,
            "muted_by": None,
            "fault": None,
            "partitions": partitions,
            "error": getattr(response, "error_code", 0),
        }

    def _partitions(self, entry: _PendingRequest, response: Any | None) -> list[dict[str, Any]]:
        api_key = entry.header.api_key
        if api_key == PRODUCE and entry.body is not None:
            return produced(entry.body, response, self._names)
        if api_key == FETCH and response is not None:
            return fetched(response, self._offsets, self._names)
        return []


def _read_request(frame: bytes) -> tuple[RequestHeader, Any | None]:
    """Decode the header, and the body if it is used; None for any other body."""
    header = _read_header(frame)
    key, version = header.api_key, header.api_version
    if key not in _READ or version not in REQUESTS[key].__spec__.versions:
        return header, None
    try:
        view = memoryview(frame)
        _, start = decode_request_header(view, frame, *peek(frame))
        return header, decode(REQUESTS[key], version, view[start:])
    except Malformed:
        return header, None


def _read_header(frame: bytes) -> RequestHeader:
    """Decode the fields that the headers of all APIs have, including unknown APIs."""
    size = int.from_bytes(frame[_CLIENT_ID - 2 : _CLIENT_ID], "big", signed=True)
    name = frame[_CLIENT_ID : _CLIENT_ID + size].decode(errors="replace")
    return RequestHeader(*peek(frame), name if size >= 0 else None)


def _timeout_ms(api_key: int, body: Any | None) -> int | None:
    if body is None or api_key not in (PRODUCE, FETCH):
        return None
    timeout_ms: int = body.timeout_ms if api_key == PRODUCE else body.max_wait_ms
    return timeout_ms

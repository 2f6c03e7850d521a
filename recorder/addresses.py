"""Replaces the addresses in responses by the proxy's, so that clients keep connecting through it.

Metadata, DescribeCluster and FindCoordinator contain addresses; Produce and Fetch may contain a new
leader's (KIP-951). A response without addresses is forwarded unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from protocol.codec import Malformed, encode
from protocol.frame_length import finish_frame
from protocol.headers import RequestHeader, begin_response, decode_response
from protocol.messages import RESPONSES
from protocol.output import Output

PRODUCE, FETCH, METADATA, FIND_COORDINATOR, API_VERSIONS, DESCRIBE_CLUSTER = 0, 1, 3, 10, 18, 60
# Responses of these APIs must be decoded; ApiVersions hides versions that `protocol` cannot decode.
READ = (PRODUCE, FETCH, METADATA, FIND_COORDINATOR, DESCRIBE_CLUSTER)


class Address(NamedTuple):
    """Where a node listens."""

    host: str
    port: int

    def __str__(self) -> str:
        """HOST:PORT; an IPv6 host is in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


Local = Callable[[int, Address], Address]  # node id, its address -> the proxy's address for it


def decoded(header: RequestHeader, frame: bytes) -> Any | None:
    """Decode a response body; None if this module does not read that API and version."""
    cls = RESPONSES.get(header.api_key)
    if cls is None or header.api_version not in cls.__spec__.versions:
        return None
    try:
        return decode_response(cls, header.api_version, frame)[1]
    except Malformed:
        return None


def rewritten(header: RequestHeader, frame: bytes, body: Any, local: Local) -> bytes:
    """*frame*, without its length, with every address replaced; the same bytes if it has none."""
    if header.api_key == API_VERSIONS:
        changed = _hide_newer_versions(body)
    else:
        changed = False
        for node_id, part in _parts_with_address(header.api_key, body):
            if part.port > 0:  # the port is -1 if there is no node
                part.host, part.port = local(node_id, Address(part.host, part.port))
                changed = True
    if not changed:
        return frame
    out = Output()
    start = begin_response(out, header)
    out += encode(body, header.api_version)
    finish_frame(out, start)
    return out.joined()[4:]


def _parts_with_address(api_key: int, body: Any) -> Iterator[tuple[int, Any]]:
    """Yield each part of a response that has a host and a port, with the node's id."""
    match api_key:
        case 0 | 1:
            yield from ((part.node_id, part) for part in body.node_endpoints)
        case 3:
            yield from ((part.node_id, part) for part in body.brokers)
        case 60:
            yield from ((part.broker_id, part) for part in body.brokers)
        case 10:
            yield (body.node_id, body)
            yield from ((part.node_id, part) for part in body.coordinators)


def _hide_newer_versions(body: Any) -> bool:
    changed = False
    for api in body.api_keys:
        newest = RESPONSES[api.api_key].__spec__.versions[-1] if api.api_key in READ else None
        if newest is not None and api.max_version > newest:
            api.max_version = newest
            changed = True
    return changed

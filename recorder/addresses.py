"""The addresses in responses: replaced by ours, so that clients stay behind the proxy.

Metadata, DescribeCluster and FindCoordinator tell them; Produce and Fetch may name a new leader's
(KIP-951). A response that tells none is passed on as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from protocol.codec import Malformed, encode
from protocol.headers import RequestHeader, begin_response, decode_response
from protocol.messages import RESPONSES
from protocol.output import Output

PRODUCE, FETCH, METADATA, FIND_COORDINATOR, API_VERSIONS, DESCRIBE_CLUSTER = 0, 1, 3, 10, 18, 60
# What a response of these holds must be known; versions that are newer than we are get hidden.
READ = (PRODUCE, FETCH, METADATA, FIND_COORDINATOR, DESCRIBE_CLUSTER)


class Address(NamedTuple):
    """Where a node listens."""

    host: str
    port: int

    def __str__(self) -> str:
        """As people write it; an address of IPv6 has brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


Local = Callable[[int, Address], Address]  # node id and its address -> the address to tell


def decoded(header: RequestHeader, frame: bytes) -> Any | None:
    """The body of a response, if it is of an API and version we read; else None."""
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
        for node_id, told in _tellers(header.api_key, body):
            if told.port > 0:  # no node is told as port -1
                told.host, told.port = local(node_id, Address(told.host, told.port))
                changed = True
    if not changed:
        return frame
    out = Output()
    start = begin_response(out, header)
    out += encode(body, header.api_version)
    out.finish_frame(start)
    return out.joined()[4:]


def _tellers(api_key: int, body: Any) -> Iterator[tuple[int, Any]]:
    """Every part of a response that has a host and a port, with the node's id."""
    match api_key:
        case 0 | 1:
            yield from ((told.node_id, told) for told in body.node_endpoints)
        case 3:
            yield from ((told.node_id, told) for told in body.brokers)
        case 60:
            yield from ((told.broker_id, told) for told in body.brokers)
        case 10:
            yield (body.node_id, body)
            yield from ((told.node_id, told) for told in body.coordinators)


def _hide_newer_versions(body: Any) -> bool:
    changed = False
    for api in body.api_keys:
        newest = RESPONSES[api.api_key].__spec__.versions[-1] if api.api_key in READ else None
        if newest is not None and api.max_version > newest:
            api.max_version = newest
            changed = True
    return changed

"""Tests of the replacement of addresses in responses."""

from __future__ import annotations

from typing import Any

import pytest

from protocol.codec import encode
from protocol.headers import RequestHeader
from protocol.messages.api_versions import ApiVersion, ApiVersionsResponse
from protocol.messages.describe_cluster import DescribeClusterBroker, DescribeClusterResponse
from protocol.messages.fetch import FetchResponse, NodeEndpoint
from protocol.messages.find_coordinator import Coordinator, FindCoordinatorResponse
from protocol.messages.metadata import MetadataResponse, MetadataResponseBroker
from recorder.addresses import Address, decoded, rewritten

ADVERTISED: Any = {"host": "kafka", "port": 9092}
CASES = [
    (MetadataResponse(brokers=[MetadataResponseBroker(node_id=7, **ADVERTISED)], topics=[]), 12),
    (
        DescribeClusterResponse(
            cluster_id="c", brokers=[DescribeClusterBroker(broker_id=7, **ADVERTISED)]
        ),
        1,
    ),
    (FindCoordinatorResponse(node_id=7, **ADVERTISED), 2),
    (FindCoordinatorResponse(coordinators=[Coordinator(key="g", node_id=7, **ADVERTISED)]), 6),
    (FetchResponse(responses=[], node_endpoints=[NodeEndpoint(node_id=7, **ADVERTISED)]), 17),
]


def frame_of(body: Any, version: int) -> tuple[RequestHeader, bytes]:
    """A response header and its frame: correlation id, tags if flexible, body."""
    spec = body.__spec__
    tags = b"\0" if version >= spec.flexible and spec.key != 18 else b""
    header = RequestHeader(spec.key, version, 5, None)
    return header, (5).to_bytes(4, "big") + tags + encode(body, version)


@pytest.mark.parametrize(("body", "version"), CASES)
def test_every_address_is_replaced(body: Any, version: int) -> None:
    """Each address is replaced by the one for its node id; other fields do not change."""
    header, frame = frame_of(body, version)
    calls: list[tuple[int, Address]] = []

    def local(node_id: int, upstream: Address) -> Address:
        calls.append((node_id, upstream))
        return Address("127.0.0.1", 5)

    changed = rewritten(header, frame, decoded(header, frame), local)

    assert calls == [(7, Address("kafka", 9092))]
    calls.clear()
    rewritten(header, changed, decoded(header, changed), local)
    assert calls == [(7, Address("127.0.0.1", 5))]
    assert changed[:4] == frame[:4]


def test_an_address_is_written_as_people_do() -> None:
    """An IPv6 host is written in brackets."""
    assert str(Address("kafka", 9092)) == "kafka:9092"
    assert str(Address("::1", 9092)) == "[::1]:9092"


def test_no_node_stays_no_node() -> None:
    """A FindCoordinator error without a coordinator is forwarded unchanged."""
    no_node = FindCoordinatorResponse(error_code=15, node_id=-1, host="", port=-1)
    header, frame = frame_of(no_node, 2)

    assert rewritten(header, frame, decoded(header, frame), lambda *_: Address("x", 1)) is frame


def test_versions_that_cannot_be_rewritten_are_hidden() -> None:
    """ApiVersions hides unknown versions of APIs with addresses or records, and of no others."""
    ranges = [
        ApiVersion(api_key=3, min_version=0, max_version=99),
        ApiVersion(api_key=11, min_version=0, max_version=99),
    ]
    header, frame = frame_of(ApiVersionsResponse(api_keys=ranges), 4)
    versions = decoded(
        header, rewritten(header, frame, decoded(header, frame), lambda _, upstream: upstream)
    )

    assert versions is not None
    assert [api.max_version for api in versions.api_keys] == [13, 99]


def test_an_unknown_response_is_not_decoded() -> None:
    """The body of an unknown API or version is not decoded."""
    assert decoded(RequestHeader(3, 99, 1, None), b"\0\0\0\1") is None
    assert decoded(RequestHeader(3, 12, 1, None), b"\0\0\0\1\0torn") is None

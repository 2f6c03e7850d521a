"""Encodings: how strictly the bytes of a request are read."""

from __future__ import annotations

from typing import Any

from integration.parity.scenario import Kafka, Story, scenario
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.metadata import MetadataRequest

HARMLESS: tuple[Any, ...] = (
    ApiVersionsRequest(client_software_name="parity", client_software_version="1.0"),
    MetadataRequest(topics=[]),
    HeartbeatRequest(group_id="none", generation_id=1, member_id="nobody"),
    ListGroupsRequest(),
    DescribeClusterRequest(include_cluster_authorized_operations=False),
)


@scenario()
def bytes_after_a_request(kafka: Kafka) -> Story:
    """Bytes after the body of a request are ignored, in every version."""
    client = kafka.connect()
    for request in HARMLESS:
        for version in request.__spec__.versions:
            answer = client.start(request, version, edit=lambda raw: raw + b"\0\1\2").answer()
            yield type(request).__name__, version, getattr(answer, "error_code", None)

"""Requests before they reach their handlers."""

from __future__ import annotations

import logging
import struct
from pathlib import Path

import pytest
import trio

from broker.api.table import ALL_APIS
from broker.wait_records.recorder import Recorder
from protocol.errors import ErrorCode
from protocol.headers import decode_response, encode_request
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest, MetadataResponse
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio


async def test_an_unknown_api_closes_the_connection(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Kafka does the same; the log names the API key."""
    async with running_node(tmp_path) as node:
        client = node.client()

        client.write(struct.pack(">ihhih", 10, 999, 0, 1, -1))

        assert await client.closed()
        assert "API key 999 is not served" in caplog.text


async def test_an_unknown_version_closes_the_connection(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Like an unknown API."""
    async with running_node(tmp_path) as node:
        client = node.client()

        client.write(struct.pack(">ihhih", 10, 0, 2, 1, -1))

        assert await client.closed()
        assert "ProduceRequest v2 is not served" in caplog.text


async def test_an_unknown_version_of_api_versions_gets_a_v0_response(
    tmp_path: Path,
) -> None:
    """A newer client can read the range of ApiVersions in it (KIP-511)."""
    async with running_node(tmp_path) as node:
        client = node.client()

        client.write(struct.pack(">ihhih", 10, 18, 99, 5, -1))

        assert await client.frame() == bytes.fromhex("00000005 0023 00000001 0012 0000 0004")


async def test_a_version_that_is_not_served_has_a_record(tmp_path: Path) -> None:
    """A newer client sends such a request first (KIP-511)."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        client = cluster.client(1)
        client.write(struct.pack(">ihhih", 10, 18, 99, 7, -1))
        await client.frame()

        assert cluster.cluster.recorder is not None
        [found] = [record.to_dict() for record in cluster.cluster.recorder.recent]
        assert (found["api"], found["version"], found["correlation_id"]) == (
            "ApiVersions",
            99,
            7,
        )
        assert (found["client_id"], found["error"]) == (None, ErrorCode.UNSUPPORTED_VERSION)
        assert found["completed_by"] == {"cause": "error"}
        assert 0 <= found["total_us"] < 1000


async def test_bytes_after_a_request_are_ignored(tmp_path: Path) -> None:
    """librdkafka sends three bytes after a Metadata request for all topics."""
    async with running_node(tmp_path) as node:
        client = node.client()
        raw = encode_request(MetadataRequest(topics=None), 12, 7, "me")[4:] + bytes(3)

        client.write(len(raw).to_bytes(4, "big") + raw)

        correlation_id, response = decode_response(MetadataResponse, 12, await client.frame())
        assert (correlation_id, [each.node_id for each in response.brokers]) == (7, [1])


async def test_a_request_is_logged_in_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With logging on, the line contains client, API and version."""
    caplog.set_level(logging.INFO, "antechamber.requests")
    async with running_node(tmp_path) as node:
        await node.client().send(ApiVersionsRequest(), 2, client_id="me")

    assert [record.getMessage() for record in caplog.records] == [
        "memory ApiVersions v2 correlation=1 client=me"
    ]


async def test_strict_mode_raises_an_exception_of_a_handler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tests run in strict mode, in which an unexpected exception ends the process."""

    def broken(request: object) -> None:
        raise ZeroDivisionError

    cls = ApiVersionsRequest
    monkeypatch.setitem(ALL_APIS.loaded, 18, (cls, broken))
    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        async with running_node(tmp_path) as node:
            node.client().start(ApiVersionsRequest(), 0)
            await trio.sleep_forever()

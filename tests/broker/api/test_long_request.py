"""Requests whose work takes several steps."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.api import long_request
from broker.api.request import Request
from broker.api.table import ALL_APIS
from broker.steps.limits import DECODED_AT_ONCE_BYTES, ITEMS_PER_REQUEST_MAX
from broker.steps.queue import Slices
from broker.wait_records.recorder import Recorder
from protocol.errors import ErrorCode
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.client import RunningCluster, running_cluster, running_node
from tests.parked import parked_on

pytestmark = pytest.mark.anyio

HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
NAMES = [f"topic-{index}" for index in range(2000)]


def tick(cluster: RunningCluster) -> None:
    """Let each call of the step queue's clock take a millisecond."""
    cluster.cluster.steps.now_ms = count().__next__


async def begun(cluster: RunningCluster) -> None:
    """Wait until a request is in slices."""
    while not len(cluster.cluster.steps):
        await trio.lowlevel.checkpoint()


def by_name() -> MetadataRequest:
    """A request that is larger than those decoded without slices."""
    return MetadataRequest(
        topics=[MetadataRequestTopic(name=name) for name in NAMES], allow_auto_topic_creation=False
    )


async def test_a_large_request_is_decoded_and_handled_in_slices(tmp_path: Path) -> None:
    """The response is the same; other clients are served between the slices."""
    async with running_node(tmp_path) as node:
        assert sum(map(len, NAMES)) > DECODED_AT_ONCE_BYTES
        tick(node)
        client, other = node.client(), node.client()
        client.start(by_name())
        await begun(node)
        await other.send(ApiVersionsRequest())
        assert client.nothing_arrived()
        assert len(node.cluster.steps) == 1

        response = await client.receive()
        assert [topic.name for topic in response.topics] == NAMES
        assert node.cluster.steps.slices_run > len(NAMES) / 3


async def test_a_response_that_is_too_long_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not completed in memory."""
    monkeypatch.setattr(long_request, "_RESPONSE_BYTES_MAX", 10_000)
    async with running_node(tmp_path) as node:
        response = await node.client().send(by_name())

        assert {topic.error_code for topic in response.topics} == {ErrorCode.UNKNOWN_SERVER_ERROR}


async def test_a_small_request_takes_one_slice(tmp_path: Path) -> None:
    """The response is sent before the connection's task yields to the loop."""
    async with running_node(tmp_path) as node:
        await node.client().send(MetadataRequest(topics=None))

        assert node.cluster.steps.slices_run == 1


async def test_pipelined_requests_wait_for_a_long_one(tmp_path: Path) -> None:
    """Responses are sent in the order of the requests."""
    async with running_node(tmp_path) as node:
        tick(node)
        client = node.client()
        client.start(by_name())
        client.start(ApiVersionsRequest(), 2)

        assert len((await client.receive()).topics) == len(NAMES)
        assert (await client.receive()).api_keys


async def test_the_body_is_decoded_from_a_copy(tmp_path: Path) -> None:
    """Other requests that use the shared buffer do not change it."""
    async with running_node(tmp_path) as node:
        tick(node)
        client, other = node.client(), node.client()
        client.start(by_name())
        await begun(node)
        for _ in range(5):
            await other.send(MetadataRequest(topics=[MetadataRequestTopic(name="x" * 200)] * 40))

        assert [topic.name for topic in (await client.receive()).topics] == NAMES


async def test_too_many_items_close_the_connection(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log names the limit, which bounds the objects that few bytes can become."""
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=0, committed_metadata=""
    )
    per_topic = ITEMS_PER_REQUEST_MAX // 4
    topic = OffsetCommitRequestTopic(name="t", partitions=[partition] * per_topic)
    async with running_node(tmp_path) as node:
        client = node.client(room=1 << 25)
        client.start(OffsetCommitRequest(group_id="g", member_id="", topics=[topic] * 4))

        assert await client.closed()
        assert f"more than {ITEMS_PER_REQUEST_MAX} items" in caplog.text


async def test_a_late_malformed_byte_closes_the_connection(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As one at the beginning does."""
    async with running_node(tmp_path) as node:
        tick(node)
        client, whole = node.client(), node.client()
        whole.start(by_name())
        request = bytes(client.transport.other.incoming)
        sent = bytearray(whole.transport.other.incoming)
        assert not request
        whole.close()
        sent[-300:] = b"\xff" * 300
        client.write(bytes(sent))

        assert await client.closed()
        assert "closing connection" in caplog.text


def _slow(pieces: int) -> Any:
    """A handler that yields *pieces* times."""

    def handler(_request: Request[HeartbeatRequest]) -> Slices[HeartbeatResponse]:
        for _ in range(pieces):
            yield None
        return HeartbeatResponse()

    return handler


@pytest.fixture
def slow_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heartbeats take a hundred slices."""
    monkeypatch.setitem(ALL_APIS.loaded, 12, (HeartbeatRequest, _slow(100)))


@pytest.mark.usefixtures("slow_heartbeat")
async def test_a_disconnect_cancels_the_rest(tmp_path: Path) -> None:
    """No further slice runs."""
    async with running_node(tmp_path) as node:
        tick(node)
        client = node.client()
        client.start(HEARTBEAT)
        await begun(node)
        client.close()
        await trio.testing.wait_all_tasks_blocked()

        assert len(node.cluster.steps) == 0
        assert node.cluster.steps.slices_run < 10


@pytest.mark.usefixtures("slow_heartbeat")
async def test_a_request_in_slices_is_shown_as_one(tmp_path: Path) -> None:
    """It waits for its own next slice only."""
    async with running_node(tmp_path) as node:
        tick(node)
        client = node.client()
        client.start(HEARTBEAT)
        await begun(node)

        [shown] = parked_on(node.node)
        assert (shown["purgatory"], shown["waited_for"]) == (None, {"kind": "steps"})
        await client.receive()


@pytest.mark.usefixtures("slow_heartbeat")
async def test_time_in_slices_is_local(tmp_path: Path) -> None:
    """The wait record does not contain a park."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        tick(cluster)
        await cluster.client(1).send(HEARTBEAT)
        await trio.testing.wait_all_tasks_blocked()

        assert cluster.cluster.recorder is not None
        [record] = cluster.cluster.recorder.recent
        assert record.waited_ms == 0
        assert record.to_dict()["completed_by"] == {"cause": "arrival"}

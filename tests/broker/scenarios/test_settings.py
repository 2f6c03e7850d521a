"""Changes of a topic's configs take effect while clients produce to it."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from broker.storage.log.unified_log import UnifiedLog
from protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record
from tests.batches import batch
from tests.client import EPOCH_MS, RunningNode, running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

_TOPIC, _SET = 2, 0
CHECK_S = 301  # log.retention.check.interval.ms has passed by then


async def _set(node: RunningNode, **configs: object) -> None:
    entries = [
        AlterableConfig(name=key.replace("_", "."), config_operation=_SET, value=str(value))
        for key, value in configs.items()
    ]
    resource = AlterConfigsResource(resource_type=_TOPIC, resource_name="t", configs=entries)
    request = IncrementalAlterConfigsRequest(resources=[resource], validate_only=False)
    (response,) = (await node.client().send(request)).responses
    assert response.error_code == 0, response.error_message


async def _produce(node: RunningNode, times: int, size: int = 700_000) -> UnifiedLog:
    client = node.client()
    for _ in range(times):
        await client.send(produce_request("t", batch(bytes(size))), PRODUCE_VERSION)
    return node.node.replicas.partitions[TopicPartition("t", 0)].log


async def test_a_smaller_segment_size_applies_to_the_next_batch(tmp_path: Path) -> None:
    """``segment.bytes``: the active segment is larger than that already, and is rolled."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        log = await _produce(node, 3)
        before = list(log.segments.base_offsets)

        await _set(node, segment_bytes=1 << 20)
        await _produce(node, 1)

        assert (before, list(log.segments.base_offsets)) == ([0], [0, 3])


@pytest.mark.parametrize("key", ["retention_ms", "retention_bytes"])
async def test_a_shorter_retention_applies_to_existing_records(tmp_path: Path, key: str) -> None:
    """They are deleted in the next retention check."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"segment.bytes": str(1 << 20)})
        log = await _produce(node, 3)
        await trio.sleep(CHECK_S)
        before = log.log_start_offset

        await _set(node, **{key: 1000})
        await trio.sleep(CHECK_S)

        assert before == 0
        assert log.log_start_offset > 0


async def test_a_topic_becomes_compacted(tmp_path: Path) -> None:
    """``cleanup.policy``: the latest record of each key stays, of existing records as well."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"segment.bytes": str(1 << 20)})
        records = [Record(timestamp=int(EPOCH_MS), key=b"k", value=bytes(300_000))] * 2
        same_key = bytes(build_batch(records))
        client = node.client()
        for _ in range(4):
            await client.send(produce_request("t", same_key), PRODUCE_VERSION)
        log = node.node.replicas.partitions[TopicPartition("t", 0)].log
        await trio.sleep(CHECK_S)
        before = log.segments.size_bytes

        await _set(node, cleanup_policy="compact")
        await trio.sleep(CHECK_S)

        assert log.segments.size_bytes < before / 2
        assert log.log_end_offset == 8

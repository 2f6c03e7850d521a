"""The transaction that holds back the last stable offset."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.admin.cluster_facts import ClusterFacts
from broker.common.topic_partition import TopicPartition
from tests.broker.scenarios.three_nodes import ThreeNodes, pass_ms, three_nodes
from tests.broker.scenarios.transactional_client import TransactionalProducer

pytestmark = pytest.mark.anyio

KEY = TopicPartition("t", 0)


def partition_facts(nodes: ThreeNodes) -> tuple[int, object]:
    """The last stable offset of t-0, and what holds it back."""
    [partition] = ClusterFacts(nodes.cluster).partitions("t", None)
    return partition["last_stable_offset"], partition["held_back_by"]


async def test_an_open_transaction_holds_back_the_last_stable_offset(tmp_path: Path) -> None:
    """Until its marker is replicated, or its producer is idle."""
    async with three_nodes(tmp_path, transaction_state_log_num_partitions="1") as nodes:
        await nodes.produce(b"a")
        assert partition_facts(nodes) == (1, None)
        producer = TransactionalProducer(nodes)
        await producer.init()
        await producer.produce(KEY, b"b")
        await pass_ms(250)

        assert partition_facts(nodes) == (
            1,
            {
                "producer_id": producer.producer_id,
                "transactional_id": "billing",
                "state": "open",
                "first_offset": 1,
                "held_ms": 250,
            },
        )

        await producer.end(commit=False)
        await producer.completed()
        await pass_ms(1000)
        assert partition_facts(nodes) == (3, None)

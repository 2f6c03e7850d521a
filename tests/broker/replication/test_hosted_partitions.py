"""The error for a partition that the node does not have (mirrors testGetPartitionOrError...)."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.hosted_partitions import HostedPartitions
from protocol.errors import ErrorCode
from tests.broker.replication.world import KEY, hosted, make_partition


def test_a_partition_of_the_node_is_found(tmp_path: Path) -> None:
    """By its key."""
    partition = make_partition(tmp_path)

    assert hosted(partition).get_or_error(KEY) is partition


@pytest.mark.parametrize(
    ("partition", "error"),
    [
        (0, ErrorCode.KAFKA_STORAGE_ERROR),
        (1, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (2, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
    ids=["its disk failed", "another node has it", "it does not exist"],
)
def test_a_missing_partition_has_a_specific_error(partition: int, error: ErrorCode) -> None:
    """NOT_LEADER_OR_FOLLOWER only if another node has the partition."""
    partitions = HostedPartitions(lambda key: key.partition < 2)
    partitions.offline.add(TopicPartition("t", 0))

    with pytest.raises(ApiError) as refusal:
        partitions.get_or_error(TopicPartition("t", partition))

    assert refusal.value.code is error

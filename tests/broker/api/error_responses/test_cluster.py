"""Errors of requests about the cluster, as Kafka 4.3.1 responds."""

from __future__ import annotations

from typing import Any

from broker.api.error_responses.table import error_response
from protocol.errors import ErrorCode
from protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.unregister_broker import UnregisterBrokerRequest

BUG = ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_cluster_without_a_description_is_empty() -> None:
    """It has neither id nor brokers."""
    body = DescribeClusterRequest(include_cluster_authorized_operations=False)
    told: Any = error_response(body, 2, BUG)

    assert (told.error_code, told.error_message) == (-1, None)
    assert (told.cluster_id, told.brokers) == ("", [])


def test_the_partitions_of_all_directories_have_the_code() -> None:
    """Under their topics, whatever directory they were to go to."""
    topic = AlterReplicaLogDirTopic(name="t", partitions=[1])
    dirs = [AlterReplicaLogDir(path=path, topics=[topic]) for path in ("/a", "/b")]
    told: Any = error_response(AlterReplicaLogDirsRequest(dirs=dirs), 2, BUG)

    assert [each.topic_name for each in told.results] == ["t", "t"]
    assert [each.partitions[0].error_code for each in told.results] == [-1, -1]


def test_a_broker_that_stays_registered_has_a_message() -> None:
    """The error's, or else that of the code."""
    body = UnregisterBrokerRequest(broker_id=1)
    bug: Any = error_response(body, 0, BUG)
    refused: Any = error_response(body, 0, ErrorCode.INVALID_REQUEST, "why")

    assert bug.error_message.startswith("The server experienced an unexpected error")
    assert refused.error_message == "why"

"""Error responses of requests about the cluster, compared with Kafka 4.3.1."""

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
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.unregister_broker import UnregisterBrokerRequest

BUG = ErrorCode.UNKNOWN_SERVER_ERROR


def test_an_error_of_describe_cluster_has_no_cluster() -> None:
    """Neither id nor brokers."""
    body = DescribeClusterRequest(include_cluster_authorized_operations=False)
    response: Any = error_response(body, 2, BUG)

    assert (response.error_code, response.error_message) == (-1, None)
    assert (response.cluster_id, response.brokers) == ("", [])


def test_the_partitions_of_all_directories_have_the_code() -> None:
    """Grouped by topic, whatever their directory."""
    topic = AlterReplicaLogDirTopic(name="t", partitions=[1])
    dirs = [AlterReplicaLogDir(path=path, topics=[topic]) for path in ("/a", "/b")]
    response: Any = error_response(AlterReplicaLogDirsRequest(dirs=dirs), 2, BUG)

    assert [each.topic_name for each in response.results] == ["t", "t"]
    assert [each.partitions[0].error_code for each in response.results] == [-1, -1]


def test_an_error_of_unregister_broker_has_a_message() -> None:
    """That of the error, or else that of the code."""
    body = UnregisterBrokerRequest(broker_id=1)
    bug: Any = error_response(body, 0, BUG)
    refused: Any = error_response(body, 0, ErrorCode.INVALID_REQUEST, "why")

    assert bug.error_message.startswith("The server experienced an unexpected error")
    assert refused.error_message == "why"


def test_an_error_of_find_coordinator_has_no_coordinators() -> None:
    """Each key has the code and Kafka's message for it."""
    body = FindCoordinatorRequest(key_type=0, coordinator_keys=["a", "b"])
    response: Any = error_response(body, 4, ErrorCode.INVALID_REQUEST, "why")

    assert [(each.key, each.error_code, each.node_id) for each in response.coordinators] == [
        ("a", 42, -1),
        ("b", 42, -1),
    ]
    assert response.coordinators[0].error_message.startswith("This most likely occurs because of")

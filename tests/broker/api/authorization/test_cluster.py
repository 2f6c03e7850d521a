"""Authorization of requests about the cluster, as in Kafka 4.3.1 with the StandardAuthorizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.security.resource import Operation
from protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    EntityData,
    EntryData,
    OpData,
)
from protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from protocol.messages.describe_client_quotas import DescribeClientQuotasRequest
from protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    PartitionRequest,
    TopicRequest,
)
from protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from protocol.messages.list_config_resources import ListConfigResourcesRequest
from protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from protocol.messages.unregister_broker import UnregisterBrokerRequest
from protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.broker.api.authorization.fake_authorizer import (
    FakeAuthorizer,
    install,
    on_cluster,
    send,
)
from tests.client import running_node

pytestmark = pytest.mark.anyio

ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS = (
    Operation.ALTER,
    Operation.DESCRIBE,
    Operation.DESCRIBE_CONFIGS,
    Operation.ALTER_CONFIGS,
)
WORDS = "Cluster authorization failed."

ELECTION = ElectLeadersRequest(
    topic_partitions=[TopicPartitions(topic="a", partitions=[0])], timeout_ms=0, election_type=9
)
REASSIGNMENT = AlterPartitionReassignmentsRequest(
    topics=[
        ReassignableTopic(
            name="a", partitions=[ReassignablePartition(partition_index=0, replicas=[1])]
        )
    ],
    timeout_ms=0,
)
REASSIGNMENTS = ListPartitionReassignmentsRequest(topics=None)
MOVES = AlterReplicaLogDirsRequest(
    dirs=[
        AlterReplicaLogDir(path="/x", topics=[AlterReplicaLogDirTopic(name="a", partitions=[0, 1])])
    ]
)
LOG_DIRS = DescribeLogDirsRequest(topics=None)
QUORUM = DescribeQuorumRequest(
    topics=[
        TopicRequest(
            topic_name="__cluster_metadata", partitions=[PartitionRequest(partition_index=0)]
        )
    ]
)
FEATURES = UpdateFeaturesRequest(
    feature_updates=[
        FeatureUpdateKey(feature="transaction.version", max_version_level=1, upgrade_type=2)
    ]
)
REMOVAL = UnregisterBrokerRequest(broker_id=9)
RESOURCES = ListConfigResourcesRequest(resource_types=[99])
QUOTAS = DescribeClientQuotasRequest(components=[], strict=False)
QUOTA = AlterClientQuotasRequest(
    entries=[
        EntryData(
            entity=[EntityData(entity_type="user", entity_name=name)],
            ops=[OpData(key="producer_byte_rate", value=1.0, remove=False)],
        )
        for name in ("x", "y", "x")
    ],
    validate_only=False,
)


@pytest.mark.parametrize(
    ("body", "version", "message"),
    [
        (ELECTION, 2, None),
        (REASSIGNMENT, 1, WORDS),
        (REASSIGNMENTS, 0, WORDS),
        (LOG_DIRS, 3, None),
        (LOG_DIRS, 4, None),
        (QUORUM, 2, WORDS),
        (FEATURES, 0, WORDS),
        (FEATURES, 1, WORDS),
        (REMOVAL, 0, WORDS),
        (RESOURCES, 0, None),
        (RESOURCES, 1, None),
        (QUOTAS, 1, None),
    ],
)
async def test_the_whole_request_is_refused(
    tmp_path: Path, body: Any, version: int, message: str | None
) -> None:
    """Before anything else of it is checked."""
    response = await send(tmp_path, body, version)

    assert response.error_code == 31
    assert getattr(response, "error_message", None) == message


@pytest.mark.parametrize(
    ("body", "operation"),
    [
        (ELECTION, ALTER),
        (REASSIGNMENT, ALTER),
        (REASSIGNMENTS, DESCRIBE),
        (LOG_DIRS, DESCRIBE),
        (QUORUM, DESCRIBE),
        (FEATURES, ALTER),
        (REMOVAL, ALTER),
        (RESOURCES, DESCRIBE_CONFIGS),
        (QUOTAS, DESCRIBE_CONFIGS),
    ],
)
async def test_one_operation_on_the_cluster_is_enough(
    tmp_path: Path, body: Any, operation: Operation
) -> None:
    """The response has the result of the request, or another error of it."""
    response = await send(tmp_path, body, None, on_cluster(operation))

    assert response.error_code != 31


@pytest.mark.parametrize("version", [0, 1, 2])
async def test_elections_have_the_error_in_each_partition(tmp_path: Path, version: int) -> None:
    """And, since v1, in the whole response."""
    response = await send(tmp_path, ELECTION, version)

    ((result,),) = (each.partition_result for each in response.replica_election_results)
    assert (result.error_code, result.error_message) == (31, WORDS)
    assert response.error_code == (31 if version else 0)


async def test_reassignments_have_the_error_in_each_partition(tmp_path: Path) -> None:
    """As well as in the whole response."""
    response = await send(tmp_path, REASSIGNMENT, 1)

    ((result,),) = (each.partitions for each in response.responses)
    assert (result.error_code, result.error_message) == (31, WORDS)


@pytest.mark.parametrize("version", [1, 2])
async def test_old_versions_have_no_error_of_all_log_directories(
    tmp_path: Path, version: int
) -> None:
    """There are no directories in the response."""
    assert (await send(tmp_path, LOG_DIRS, version)).results == []


@pytest.mark.parametrize(("allowed", "errors"), [([], [31, 31]), ([on_cluster(ALTER)], [57, 57])])
async def test_moves_of_replicas_have_the_error_in_each_partition(
    tmp_path: Path, allowed: list[Any], errors: list[int]
) -> None:
    """There is no error of the whole response."""
    response = await send(tmp_path, MOVES, 2, *allowed)

    assert [each.error_code for each in response.results[0].partitions] == errors


@pytest.mark.parametrize("allowed", [[], [on_cluster(ALTER)], [on_cluster(ALTER_CONFIGS)]])
async def test_quotas(tmp_path: Path, allowed: list[Any]) -> None:
    """Without authorization each entry of the request has the error, and none is stored."""
    is_allowed = allowed == [on_cluster(ALTER_CONFIGS)]
    async with running_node(tmp_path) as node:
        install(node.node, FakeAuthorizer(*allowed))
        response = await node.client().send(QUOTA)
        stored = len(node.controller.image.client_quotas)

    found = [
        (each.entity[0].entity_name, each.error_code, each.error_message)
        for each in response.entries
    ]
    if is_allowed:
        assert [error for _, error, _ in found] == [42, 0]
        assert stored == 2
    else:
        assert found == [(name, 31, WORDS) for name in ("x", "y", "x")]
        assert stored == 0

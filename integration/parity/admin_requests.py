"""Short functions for requests about topics and their configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from integration.parity.requests import PATIENT_MS
from protocol.messages import alter_configs as replaced
from protocol.messages.alter_configs import AlterConfigsRequest
from protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32  # kinds of config resources
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3  # operations on a configuration value


def new_topic(
    name: str,
    partitions: int = 1,
    replication: int = 1,
    *,
    replicas: Mapping[int, Sequence[int]] | None = None,
    configs: Mapping[str, str | None] | None = None,
) -> CreatableTopic:
    """A topic to create: by numbers, or with the replicas of each partition."""
    return CreatableTopic(
        name=name,
        num_partitions=-1 if replicas else partitions,
        replication_factor=-1 if replicas else replication,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=list(nodes))
            for index, nodes in (replicas or {}).items()
        ],
        configs=[
            CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()
        ],
    )


def create_topics(*topics: CreatableTopic, validate_only: bool = False) -> CreateTopicsRequest:
    """Create topics."""
    return CreateTopicsRequest(
        topics=list(topics), timeout_ms=PATIENT_MS, validate_only=validate_only
    )


def delete_topics(*names: str) -> DeleteTopicsRequest:
    """Delete topics by name."""
    return DeleteTopicsRequest(
        topics=[DeleteTopicState(name=name) for name in names], timeout_ms=PATIENT_MS
    )


def create_partitions(
    topic: str,
    count: int,
    *,
    replicas: Sequence[Sequence[int]] | None = None,
    validate_only: bool = False,
) -> CreatePartitionsRequest:
    """Add partitions to a topic."""
    assignments = None
    if replicas is not None:
        assignments = [CreatePartitionsAssignment(broker_ids=list(each)) for each in replicas]
    return CreatePartitionsRequest(
        topics=[CreatePartitionsTopic(name=topic, count=count, assignments=assignments)],
        timeout_ms=PATIENT_MS,
        validate_only=validate_only,
    )


def describe_partitions(
    *topics: str, limit: int = 2000, cursor: Cursor | None = None
) -> DescribeTopicPartitionsRequest:
    """Describe the partitions of topics, a page at a time."""
    return DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in topics],
        response_partition_limit=limit,
        cursor=cursor,
    )


def delete_records(
    topic: str, before: Mapping[int, int], *, timeout_ms: int = PATIENT_MS
) -> DeleteRecordsRequest:
    """Delete the records before an offset in each partition; -1 is the high watermark."""
    partitions = [
        DeleteRecordsPartition(partition_index=index, offset=offset)
        for index, offset in before.items()
    ]
    return DeleteRecordsRequest(
        topics=[DeleteRecordsTopic(name=topic, partitions=partitions)], timeout_ms=timeout_ms
    )


def describe_configs(
    name: str, *keys: str, kind: int = TOPIC, synonyms: bool = False
) -> DescribeConfigsRequest:
    """Describe the configuration of a resource: all keys if none is named."""
    requested = DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=list(keys) or None
    )
    return DescribeConfigsRequest(resources=[requested], include_synonyms=synonyms)


def replace_configs(
    name: str, *settings: tuple[str, str | None], kind: int = TOPIC, validate_only: bool = False
) -> AlterConfigsRequest:
    """Replace the configuration of a resource (AlterConfigs)."""
    resource = replaced.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[replaced.AlterableConfig(name=key, value=value) for key, value in settings],
    )
    return AlterConfigsRequest(resources=[resource], validate_only=validate_only)


def alter_configs(
    name: str, *changes: tuple[str, int, str | None], kind: int = TOPIC, validate_only: bool = False
) -> IncrementalAlterConfigsRequest:
    """Change configuration values, each by its key, operation and value."""
    configs = [
        AlterableConfig(name=key, config_operation=operation, value=value)
        for key, operation, value in changes
    ]
    resource = AlterConfigsResource(resource_type=kind, resource_name=name, configs=configs)
    return IncrementalAlterConfigsRequest(resources=[resource], validate_only=validate_only)


def reassign(topic: str, *replicas: Sequence[int] | None) -> AlterPartitionReassignmentsRequest:
    """Reassign the partitions of a topic, the first one to the first list; None cancels."""
    partitions = [
        ReassignablePartition(partition_index=index, replicas=None if to is None else list(to))
        for index, to in enumerate(replicas)
    ]
    return AlterPartitionReassignmentsRequest(
        timeout_ms=PATIENT_MS, topics=[ReassignableTopic(name=topic, partitions=partitions)]
    )


def reassignments(topic: str, *partitions: int) -> ListPartitionReassignmentsRequest:
    """List the ongoing reassignments of a topic."""
    requested = ListPartitionReassignmentsTopics(name=topic, partition_indexes=list(partitions))
    return ListPartitionReassignmentsRequest(timeout_ms=PATIENT_MS, topics=[requested])


def elect(topic: str, *partitions: int, unclean: bool = False) -> ElectLeadersRequest:
    """Elect the preferred leaders or, if *unclean*, out-of-sync replicas."""
    return ElectLeadersRequest(
        election_type=1 if unclean else 0,
        topic_partitions=[TopicPartitions(topic=topic, partitions=list(partitions))],
        timeout_ms=PATIENT_MS,
    )

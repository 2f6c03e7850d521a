"""Requests of every API in which each value is a likely one, so that one more can be an extreme.

Values are found by the names of the fields; arrays have one item, and what may be null is there.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args, get_origin

from protocol.fields import fields_of, wire_type
from protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.create_partitions import CreatePartitionsRequest
from protocol.messages.create_topics import CreateTopicsRequest
from protocol.messages.describe_quorum import DescribeQuorumRequest
from protocol.messages.offset_commit import OffsetCommitRequest
from protocol.schema import ZERO_UUID, Fixed, Sized, Uuid
from tests.batches import batch
from tests.extremes.places import is_struct


class World(NamedTuple):
    """What requests can name: a topic with a record, and a unique word."""

    topic: str
    topic_id: uuid.UUID
    unique: str


# By field, or by struct and field; other texts are the unique word, other numbers are 0.
_NULL = (
    "CreatePartitionsTopic.assignments",
    "InitProducerIdRequest.transactional_id",
    "OffsetCommitRequest.group_instance_id",
    "OffsetFetchRequestGroup.member_id",
    "ProduceRequest.transactional_id",
    "ConsumerGroupHeartbeatRequest.instance_id",
    "ConsumerGroupHeartbeatRequest.subscribed_topic_regex",
)
_EMPTY = (
    "ConsumerGroupHeartbeatRequest.topic_partitions",
    "CreatableTopic.assignments",
    "CreatePartitionsTopic.assignments",
)
_TEXTS = {
    "AlterReplicaLogDir.path": "/nowhere",
    "ComponentData.entity_type": "client-id",
    "EntityData.entity_type": "client-id",
    "DeleteTopicState.name": "gone",
    "FeatureUpdateKey.feature": "group.version",
    "OpData.key": "producer_byte_rate",
    "client_software_name": "extremes",
    "client_software_version": "1",
    "committed_metadata": "",
    "configuration_keys": "retention.ms",
    "name": "retention.ms",
    "ShareGroupHeartbeatRequest.member_id": "m",
    "member_id": "",
    "principal": "User:extremes",
    "principal_filter": "User:extremes",
    "protocol_name": "range",
    "protocol_type": "consumer",
    "rack_id": "",
    "server_assignor": "uniform",
    "states_filter": "Stable",
    "types_filter": "classic",
    "value": "100000",
    "JoinGroupRequestProtocol.name": "range",
}
_TOPICS = ("topic", "topic_name", "subscribed_topic_names", "cluster_id", "resource_name")
_NAMES_OF_OTHERS = (
    "AlterableConfig.name",
    "CreatableTopic.name",
    "CreatableTopicConfig.name",
    "JoinGroupRequestProtocol.name",
)
_NUMBERS = {
    "AclCreation.resource_type": 2,
    "AlterConfigsResource.resource_type": 2,
    "DescribeConfigsResource.resource_type": 2,
    "CreatableTopic.num_partitions": 1,
    "CreatableTopic.replication_factor": 1,
    "CreatePartitionsTopic.count": 2,
    "ConsumerGroupHeartbeatRequest.rebalance_timeout_ms": 60_000,
    "JoinGroupRequest.rebalance_timeout_ms": 60_000,
    "JoinGroupRequest.session_timeout_ms": 10_000,
    "ListOffsetsPartition.timestamp": -1,
    "OpData.value": 1e6,
    "ReassignablePartition.replicas": 1,
    "CreatableReplicaAssignment.broker_ids": 1,
    "CreatePartitionsAssignment.broker_ids": 1,
    "FeatureUpdateKey.max_version_level": 1,
    "FeatureUpdateKey.upgrade_type": 1,
    "UnregisterBrokerRequest.broker_id": 99,
    "voter_id": 99,
    "endpoint_type": 1,
    "acks": -1,
    "current_leader_epoch": -1,
    "generation_id": -1,
    "generation_id_or_member_epoch": -1,
    "high_watermark": 2**63 - 1,
    "last_fetched_epoch": -1,
    "max_bytes": 1 << 20,
    "max_wait_ms": 0,
    "iterations": 4096,
    "mechanism": 1,
    "operation": 3,
    "pattern_type_filter": 3,
    "permission_type": 3,
    "resource_pattern_type": 3,
    "resource_type_filter": 2,
    "partition_max_bytes": 1 << 20,
    "producer_epoch": -1,
    "producer_id": -1,
    "replica_epoch": -1,
    "replica_id": -1,
    "resource_types": 2,
    "response_partition_limit": 10,
    "retention_time_ms": -1,
    "session_epoch": -1,
    "timeout_ms": 1000,
    "transaction_timeout_ms": 60_000,
}
# Where both a name and an id are on the wire, only one of them may be given.
_BY_NAME = ("DeleteTopicState", "MetadataRequestTopic")


def valid_requests(cls: Any, version: int, world: World) -> Iterator[Any]:
    """The likely requests of an API: one, or more where values exclude each other."""
    request = _struct(cls, version, world)
    if cls is CreateTopicsRequest:
        request.topics[0].name = f"{world.unique}-made"
        yield request
        other = _struct(cls, version, world, without_empty=True)
        topic = other.topics[0]
        topic.name, topic.num_partitions, topic.replication_factor = f"{world.unique}-laid", -1, -1
        yield other
        return
    if cls is DescribeQuorumRequest:
        request.topics[0].topic_name = "__cluster_metadata"
    yield request
    if cls in (CreatePartitionsRequest, AlterPartitionReassignmentsRequest):
        yield _struct(cls, version, world, without_empty=True)
    if cls is ConsumerGroupHeartbeatRequest and version > 0:
        by_regex = _struct(cls, version, world)
        by_regex.subscribed_topic_names, by_regex.subscribed_topic_regex = None, "extreme.*"
        yield by_regex
    if cls is OffsetCommitRequest and version >= 7:
        static = _struct(cls, version, world)
        static.group_instance_id = "instance"
        yield static


def _struct(cls: Any, version: int, world: World, *, without_empty: bool = False) -> Any:
    """One struct; *without_empty* fills what is empty or null otherwise."""
    plain, tagged = fields_of(cls, version)
    values: dict[str, Any] = {}
    for field in (*plain, *tagged.values()):
        key = f"{cls.__name__}.{field.name}"
        if key in _EMPTY and not without_empty:
            values[field.name] = None if key in _NULL and field.nullable else []
        elif key in _NULL and field.nullable and not without_empty:
            values[field.name] = None
        else:
            values[field.name] = _value(
                f"{cls.__name__}.{field.name}", field.hint, version, world, without_empty
            )
    return cls(**values)


def _value(key: str, hint: Any, version: int, world: World, without_empty: bool) -> Any:
    owner, _, name = key.partition(".")
    if get_origin(hint) is list:
        return [_value(key, wire_type(get_args(hint)[0])[0], version, world, without_empty)]
    match hint:
        case Fixed("?"):
            return key == "UpdateFeaturesRequest.validate_only"
        case Fixed(_):
            return _NUMBERS.get(key, _NUMBERS.get(name, 0))
        case Uuid():
            return ZERO_UUID if owner in _BY_NAME else world.topic_id
        case Sized(_, True):
            return _text(key, name, world)
        case Sized():
            return batch(b"extreme") if name == "records" else b""
    assert is_struct(hint), hint
    return _struct(hint, version, world, without_empty=without_empty)


def _text(key: str, name: str, world: World) -> str:
    if key in _TEXTS:
        return _TEXTS[key]
    is_topic = name in _TOPICS or (name == "name" and key not in _NAMES_OF_OTHERS)
    return world.topic if is_topic else _TEXTS.get(name, world.unique)

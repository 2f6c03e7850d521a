"""Administration of the cluster: nodes, log directories, configured resources, features."""

from __future__ import annotations

from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    GROUP,
    TOPIC,
    create_topics,
    describe_partitions,
    new_topic,
    reassign,
)
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import FENCED_AFTER_MS, THREE
from protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from protocol.messages.describe_quorum import DescribeQuorumRequest, PartitionRequest, TopicRequest
from protocol.messages.list_config_resources import ListConfigResourcesRequest
from protocol.messages.unregister_broker import UnregisterBrokerRequest
from protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest


@scenario()
def unknown_nodes_are_not_unregistered(kafka: Kafka) -> Observations:
    """UnregisterBroker of an unknown node."""
    for node in (7, -1, 2**31 - 1):
        yield node, kafka.request(UnregisterBrokerRequest(broker_id=node))


@scenario(on=THREE, alone=True, slow=True)
def nodes_are_unregistered(kafka: Kafka) -> Observations:
    """UnregisterBroker of a stopped node: it is not described until it returns."""
    topic = kafka.topic(2, replicas=(3, 2))
    lone = kafka.topic(replicas=(3,))
    kafka.request(produce(topic, batch("a")), node=3)
    kafka.crash(3)
    kafka.wait_for_leader(topic, 2)
    kafka.wait_for_isr(topic, (2,))
    yield kafka.request(UnregisterBrokerRequest(broker_id=3))
    eventually(lambda: 3 not in _fenced(kafka), "3 is forgotten")
    yield (
        _fenced(kafka),
        kafka.metadata(topic),
        kafka.metadata(lone),
        kafka.request(describe_partitions(lone)),
    )
    yield "again", kafka.request(UnregisterBrokerRequest(broker_id=3))
    yield kafka.request(create_topics(new_topic(kafka.new_name("topic"), 1, 3)))
    yield kafka.request(reassign(topic, (1, 3)))
    kafka.restart(3)
    kafka.wait_for_isr(topic, (2, 3))
    yield (
        _fenced(kafka),
        kafka.metadata(topic),
        kafka.metadata(lone),
        kafka.request(describe_partitions(lone)),
    )


@scenario(on=THREE, alone=True, slow=True)
def running_nodes_are_unregistered(kafka: Kafka) -> Observations:
    """UnregisterBroker of a running node: it leads nothing, and must be restarted."""
    topic = kafka.topic(2, replicas=(3, 2))
    lone, wide = kafka.topic(replicas=(3,)), kafka.topic(replicas=(1, 3), min_insync_replicas="2")
    kafka.request(produce(topic, batch("a")), node=3)
    yield kafka.request(UnregisterBrokerRequest(broker_id=3))
    eventually(lambda: 3 not in _fenced(kafka), "3 is forgotten")
    kafka.wait_for_leader(topic, 2)
    yield _fenced(kafka), kafka.metadata(topic)
    kafka.pass_time(kafka.topic(), FENCED_AFTER_MS + 2000)
    yield _fenced(kafka), kafka.metadata(topic), kafka.request(describe_partitions(lone, wide))
    yield kafka.request(produce(topic, batch("a")), node=3)
    yield kafka.metadata(topic, node=3)
    kafka.crash(3)
    kafka.restart(3)
    kafka.wait_for_isr(topic, (2, 3))
    kafka.wait_for_isr(wide, (1, 3))
    yield _fenced(kafka), kafka.metadata(topic), kafka.request(describe_partitions(lone, wide))


@scenario()
def nodes_are_described(kafka: Kafka) -> Observations:
    """DescribeCluster in every version and for every endpoint type."""
    for version in range(3):
        for allowed in (False, True):
            for kind in (1,) if version == 0 else (1, 2, 0, 9):
                requested = DescribeClusterRequest(
                    include_cluster_authorized_operations=allowed, endpoint_type=kind
                )
                response = kafka.request(requested, version)
                response.cluster_id = response.cluster_id or "none"
                yield version, kind, response


@scenario()
def quorums_are_described(kafka: Kafka) -> Observations:
    """DescribeQuorum: only the metadata partition has a quorum."""
    for topic, indexes in (
        ("__cluster_metadata", (1,)),
        ("__cluster_metadata", (0, 1)),
        ("__cluster_metadata", ()),
        (kafka.topic(), (0,)),
        ("", (0,)),
    ):
        partitions = [PartitionRequest(partition_index=each) for each in indexes]
        requested = DescribeQuorumRequest(
            topics=[TopicRequest(topic_name=topic, partitions=partitions)]
        )
        for version in range(3):
            response = kafka.request(requested, version)
            yield version, response
    yield kafka.request(DescribeQuorumRequest(topics=[]))
    metadata = TopicRequest(
        topic_name="__cluster_metadata", partitions=[PartitionRequest(partition_index=0)]
    )
    yield "nodes", kafka.request(DescribeQuorumRequest(topics=[metadata])).nodes


@scenario()
def log_directories_are_described(kafka: Kafka) -> Observations:
    """DescribeLogDirs of existing partitions, of unknown ones, and of none."""
    topic = kafka.topic(2)
    for indexes in ((0, 1), (0,), (7,), ()):
        requested = DescribableLogDirTopic(topic=topic, partitions=list(indexes))
        for version in range(1, 6):
            yield indexes, _directories(kafka, [requested], version)
    unknown = DescribableLogDirTopic(topic=kafka.new_name("unknown"), partitions=[0])
    yield _directories(kafka, [unknown])
    yield _directories(kafka, [])
    everything = kafka.request(DescribeLogDirsRequest(topics=None)).results[0].topics
    (ours,) = (each for each in everything if each.name == topic)
    yield sorted(each.partition_index for each in ours.partitions)


@scenario()
def unknown_log_directories(kafka: Kafka) -> Observations:
    """AlterReplicaLogDirs: unknown directories, unknown partitions, and the present directory."""
    topic = kafka.topic()
    (here,) = kafka.request(DescribeLogDirsRequest(topics=[])).results
    for path in (here.log_dir, "/no/such/directory", "relative", ""):
        for name, index in ((topic, 0), (topic, 5), (kafka.new_name("unknown"), 0), ("a b", 0)):
            to = AlterReplicaLogDirTopic(name=name, partitions=[index])
            requested = AlterReplicaLogDirsRequest(
                dirs=[AlterReplicaLogDir(path=path, topics=[to])]
            )
            for version in (1, 2):
                response = kafka.request(requested, version)
                yield path == here.log_dir, name, index, response
    yield kafka.request(AlterReplicaLogDirsRequest(dirs=[]))


@scenario()
def features_are_not_changed(kafka: Kafka) -> Observations:
    """UpdateFeatures: present levels, and invalid ones."""
    for version in range(3):
        for name, level in (
            ("no.such.feature", 1),
            ("no.such.feature", 0),
            ("no.such.feature", -1),
            ("metadata.version", 99),
            ("metadata.version", 30),
            ("metadata.version", -1),
            ("group.version", 1),
            ("group.version", -1),
            ("", 1),
        ):
            yield version, name, level, _updated(kafka, version, (name, level))
        yield version, _updated(kafka, version, ("group.version", 1), ("no.such.feature", 1))
        yield version, _updated(kafka, version, ("group.version", 1), ("group.version", 1))
        yield version, _updated(kafka, version)
    for kind in (0, 1, 2, 3, 4, -1):
        yield kind, _updated(kafka, 2, ("group.version", 1), kind=kind)


@scenario()
def resources_are_listed(kafka: Kafka) -> Observations:
    """ListConfigResources of all types, of each, and of unknown types."""
    topic = kafka.topic()
    for kinds in (
        None,
        (),
        (2,),
        (4,),
        (8,),
        (16,),
        (32,),
        (0,),
        (1,),
        (3,),
        (64,),
        (2, 4),
        (4, 4),
    ):
        requested = ListConfigResourcesRequest(resource_types=list(kinds or ()))
        response = kafka.request(requested, 0 if kinds is None else 1)
        ours = [
            (each.resource_type, each.resource_name)
            for each in response.config_resources
            if each.resource_type not in (TOPIC, GROUP) or each.resource_name == topic
        ]
        yield kinds, response.error_code, sorted(ours)


def _updated(kafka: Kafka, version: int, *levels: tuple[str, int], kind: int = 1) -> Any:
    updates = [
        FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=kind)
        for name, level in levels
    ]
    requested = UpdateFeaturesRequest(feature_updates=updates, validate_only=version > 0)
    return kafka.request(requested, version)


def _directories(kafka: Kafka, topics: list[DescribableLogDirTopic], version: int = 5) -> Any:
    """The content of the directories, without values of the machine."""
    response = kafka.request(DescribeLogDirsRequest(topics=topics), version)
    for each in response.results:
        each.log_dir, each.total_bytes, each.usable_bytes = "", 0, 0
        for topic in each.topics:
            topic.partitions.sort(key=lambda partition: partition.partition_index)
    return response


def _fenced(kafka: Kafka) -> dict[int, bool]:
    """The described nodes, and whether they are fenced."""
    requested = DescribeClusterRequest(
        include_cluster_authorized_operations=False, include_fenced_brokers=True
    )
    nodes = {each.broker_id: each.is_fenced for each in kafka.request(requested, 2).brokers}
    return dict(sorted(nodes.items()))

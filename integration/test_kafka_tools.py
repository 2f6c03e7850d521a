"""Kafka's tools for topics, settings, partitions and nodes, checked by their output."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import Producer

from antechamber import Cluster
from integration.clients.api_uses import ApiUses
from integration.kafka.tools import KafkaTools
from integration.machine.deadlines import ENDS_WITHIN_S, eventually

pytestmark = pytest.mark.jvm

Tool = Callable[..., str]


@pytest.fixture(scope="module")
def three_nodes(against: str, api_uses: ApiUses) -> Iterator[Cluster]:
    """Three nodes of our broker; tests create topics of their own."""
    if against != "antechamber":
        pytest.skip("tests our own broker")
    with Cluster(brokers=3, records=api_uses.records()) as running:
        yield running


@pytest.fixture
def tool(tools: KafkaTools, three_nodes: Cluster) -> Tool:
    """A function that runs a tool on the three nodes and returns its output."""
    there = ("--bootstrap-server", three_nodes.bootstrap)
    return lambda name, *arguments: tools.run(name, *there, *arguments)


def test_a_topic_is_created_altered_described_and_deleted(tool: Tool, topic: str) -> None:
    """TopicCommand creates, alters, describes and deletes; GetOffsetShell lists the partitions."""
    named = ("--topic", topic)
    created = tool(
        "TopicCommand",
        *("--create", *named, "--partitions", "3", "--replication-factor", "3"),
        *("--config", "retention.ms=100000"),
    )
    tool("TopicCommand", "--alter", *named, "--partitions", "4")
    described = tool("TopicCommand", "--describe", *named)
    offsets = tool("GetOffsetShell", *named)
    tool("TopicCommand", "--delete", *named)

    assert f"Created topic {topic}." in created
    assert (
        "PartitionCount: 4\tReplicationFactor: 3\t"
        "Configs: min.insync.replicas=1,retention.ms=100000" in described
    )
    assert described.count("Isr: ") == 4
    assert sorted(offsets.split()) == [f"{topic}:{index}:0" for index in range(4)]
    assert topic not in tool("TopicCommand", "--list")


def test_settings(tool: Tool, topic: str) -> None:
    """ConfigCommand sets, unsets and describes settings of topics, brokers and groups."""
    of_topic = ("--entity-type", "topics", "--entity-name", topic)
    of_node = ("--entity-type", "brokers", "--entity-name", "1")
    of_group = ("--entity-type", "groups", "--entity-name", topic)
    tool("TopicCommand", "--create", "--topic", topic, "--config", "retention.ms=5")

    tool(
        *("ConfigCommand", "--alter", *of_topic),
        *("--add-config", "max.message.bytes=5000", "--delete-config", "retention.ms"),
    )
    tool("ConfigCommand", "--alter", *of_node, "--add-config", "log.segment.bytes=2000000")
    session = "consumer.session.timeout.ms"
    tool("ConfigCommand", "--alter", *of_group, "--add-config", f"{session}=50000")

    (line,) = tool("ConfigCommand", "--describe", *of_topic).splitlines()[1:]
    assert line == (
        "  max.message.bytes=5000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:"
        "max.message.bytes=5000, DEFAULT_CONFIG:message.max.bytes=1048588}"
    )
    assert (
        "  log.segment.bytes=2000000 sensitive=false synonyms={DYNAMIC_BROKER_CONFIG:"
        "log.segment.bytes=2000000, DEFAULT_CONFIG:log.segment.bytes=1073741824}"
    ) in tool("ConfigCommand", "--describe", *of_node)
    assert (
        f"  {session}=50000 sensitive=false synonyms={{DYNAMIC_GROUP_CONFIG:{session}=50000, "
        f"DEFAULT_CONFIG:group.{session}=45000}}"
    ) in tool("ConfigCommand", "--describe", *of_group)


def test_levels_of_loggers(tool: Tool) -> None:
    """ConfigCommand describes them, sets one, and returns it to that of the root logger."""
    of_loggers = ("--entity-type", "broker-loggers", "--entity-name", "1")
    logger = "antechamber.replication"
    inherited = f"  {logger}=WARN sensitive=false synonyms={{}}"
    assert inherited in tool("ConfigCommand", "--describe", *of_loggers)

    tool("ConfigCommand", "--alter", *of_loggers, "--add-config", f"{logger}=ERROR")
    described = tool("ConfigCommand", "--describe", *of_loggers)
    tool("ConfigCommand", "--alter", *of_loggers, "--delete-config", logger)

    assert f"  {logger}=ERROR sensitive=false synonyms={{}}" in described
    assert inherited in tool("ConfigCommand", "--describe", *of_loggers)


def test_quotas_are_settings_of_clients(tool: Tool) -> None:
    """ConfigCommand sets and describes them (AlterClientQuotas, DescribeClientQuotas)."""
    of_client = ("--entity-type", "clients", "--entity-name", "greedy")

    tool("ConfigCommand", "--alter", *of_client, "--add-config", "producer_byte_rate=1048576")
    described = tool("ConfigCommand", "--describe", *of_client)
    tool("ConfigCommand", "--alter", *of_client, "--delete-config", "producer_byte_rate")

    reported = "Quota configs for client-id 'greedy' are producer_byte_rate=1048576.0"
    assert described.strip() == reported
    assert reported not in tool("ConfigCommand", "--describe", *of_client)


def test_log_directories(tool: Tool, topic: str) -> None:
    """LogDirsCommand finds each partition in the directory of its replica."""
    tool("TopicCommand", "--create", "--topic", topic, "--replica-assignment", "1:2,3:1")

    printed = tool("LogDirsCommand", "--describe", "--topic-list", topic)

    found = {
        (node["broker"], partition["partition"])
        for node in json.loads(printed.splitlines()[-1])["brokers"]
        for directory in node["logDirs"]
        for partition in directory["partitions"]
    }
    zero, one = f"{topic}-0", f"{topic}-1"
    assert found == {(1, zero), (2, zero), (3, one), (1, one)}


def test_the_quorum(tool: Tool) -> None:
    """MetadataQuorumCommand: the first node leads, the others are observers without lag."""
    status = tool("MetadataQuorumCommand", "describe", "--status")
    replication = tool("MetadataQuorumCommand", "describe", "--replication")

    facts = dict(line.split(":", 1) for line in status.splitlines() if line)
    assert facts["LeaderId"].strip() == "1"
    assert facts["MaxFollowerLag"].strip() == "0"
    assert facts["CurrentObservers"].strip() == '[{"id": 2}, {"id": 3}]'
    roles = [line.split()[-1] for line in replication.splitlines()[1:] if line]
    assert roles == ["Leader", "Observer", "Observer"]


def test_voters_of_the_quorum_are_static(
    tools: KafkaTools, three_nodes: Cluster, tmp_path: Path
) -> None:
    """MetadataQuorumCommand neither adds nor removes a controller; it prints the reason."""
    directory = "AAAAAAAAAAAAAAAAAAAABw"
    (tmp_path / "meta.properties").write_text(
        f"version=1\ncluster.id=any\nnode.id=9\ndirectory.id={directory}\n"
    )
    properties = tmp_path / "controller.properties"
    properties.write_text(
        f"node.id=9\nlog.dirs={tmp_path}\nprocess.roles=controller\n"
        "controller.listener.names=CONTROLLER\nlisteners=CONTROLLER://127.0.0.1:9\n"
    )
    command = ("MetadataQuorumCommand", "--bootstrap-server", three_nodes.bootstrap)
    removed = ("--controller-id", "1", "--controller-directory-id", directory)

    addition = tools.refused(*command, "--command-config", str(properties), "add-controller")
    removal = tools.refused(*command, "remove-controller", *removed)

    reason = "Cluster doesn't support {} voter because the kraft.version feature is 0"
    assert reason.format("adding") in addition
    assert reason.format("removing") in removal


def test_a_partition_is_reassigned(tool: Tool, topic: str, tmp_path: Path) -> None:
    """ReassignPartitionsCommand executes a plan and verifies it; the first target replica leads.

    It sets a throttle, and removes it.
    """
    tool("TopicCommand", "--create", "--topic", topic, "--replica-assignment", "1:2")
    plan = tmp_path / "plan.json"
    move = {"topic": topic, "partition": 0, "replicas": [3, 2]}
    plan.write_text(json.dumps({"version": 1, "partitions": [move]}))
    reassign = ("ReassignPartitionsCommand", "--reassignment-json-file", str(plan))

    started = tool(*reassign, "--execute", "--throttle", "10000000")

    assert f"Successfully started partition reassignment for {topic}-0" in started
    done = f"Reassignment of partition {topic}-0 is completed."
    eventually(lambda: done in tool(*reassign, "--verify"), done)
    assert "Leader: 3\tReplicas: 3,2" in tool("TopicCommand", "--describe", "--topic", topic)
    assert "throttle limit was set to 10000000 B/s" in started
    of_topic = ("--entity-type", "topics", "--entity-name", topic)
    assert "throttled" not in tool("ConfigCommand", "--describe", *of_topic)


def test_a_throttled_reassignment_waits(
    tool: Tool, three_nodes: Cluster, topic: str, tmp_path: Path
) -> None:
    """ReassignPartitionsCommand limits the new replica, until a later call raises the limit."""
    tool("TopicCommand", "--create", "--topic", topic, "--replica-assignment", "1")
    producer = Producer({"bootstrap.servers": three_nodes.bootstrap})
    for _ in range(30):
        producer.produce(topic, bytes(100_000))
    assert producer.flush(ENDS_WITHIN_S) == 0
    plan = tmp_path / "plan.json"
    move = {"topic": topic, "partition": 0, "replicas": [2]}
    plan.write_text(json.dumps({"version": 1, "partitions": [move]}))
    reassign = ("ReassignPartitionsCommand", "--reassignment-json-file", str(plan))

    tool(*reassign, "--execute", "--throttle", "1000")
    waiting = tool(*reassign, "--verify")
    tool(*reassign, "--execute", "--additional", "--throttle", "100000000")

    assert f"Reassignment of partition {topic}-0 is still in progress." in waiting
    done = f"Reassignment of partition {topic}-0 is completed."
    eventually(lambda: done in tool(*reassign, "--verify"), done)


def test_the_preferred_replica_is_elected(tool: Tool, three_nodes: Cluster, topic: str) -> None:
    """LeaderElectionCommand elects it after its absence; a second run changes nothing."""
    tool("TopicCommand", "--create", "--topic", topic, "--replica-assignment", "2:3")
    elect = ("LeaderElectionCommand", "--election-type", "preferred")
    partition = ("--topic", topic, "--partition", "0")
    three_nodes.stop(2)
    three_nodes.start(2)
    described = partial(tool, "TopicCommand", "--describe", "--topic", topic)
    eventually(lambda: "Isr: 3,2" in described(), "the node is in sync again")

    elected = tool(*elect, *partition)
    needless = tool(*elect, *partition)

    assert f"Successfully completed leader election (PREFERRED) for partitions {topic}-0" in elected
    assert f"Valid replica already elected for partitions {topic}-0" in needless


def test_api_versions_and_features(tool: Tool) -> None:
    """BrokerApiVersionsCommand prints the ranges, FeatureCommand the levels."""
    apis = tool("BrokerApiVersionsCommand")
    features = tool("FeatureCommand", "describe")

    assert "IncrementalAlterConfigs(44): 0 to 1 [usable: 1]" in apis
    assert "DescribeQuorum(55): 0 to 2 [usable: 2]" in apis
    assert "FinalizedVersionLevel: 4.3-IV0" in features


def test_a_node_is_unregistered(tools: KafkaTools, three_nodes: Cluster) -> None:
    """ClusterTool unregisters a stopped node, and prints the cluster id and the nodes."""
    there = ("--bootstrap-server", three_nodes.bootstrap)
    three_nodes.stop(3)

    reported = tools.run("ClusterTool", "cluster-id", *there)
    forgotten = tools.run("ClusterTool", "unregister", *there, "--id", "3")
    left = tools.run("ClusterTool", "list-endpoints", *there, "--include-fenced-brokers")
    three_nodes.start(3)
    back = tools.run("ClusterTool", "list-endpoints", *there)

    assert f"Cluster ID: {three_nodes.cluster()['cluster_id']}" in reported
    assert "Broker 3 is no longer registered." in forgotten
    assert [_ids(each) for each in (left, back)] == [["1", "2"], ["1", "2", "3"]]


def _ids(table: str) -> list[str]:
    """The first column, without its heading."""
    return [line.split()[0] for line in table.splitlines()[1:] if line.strip()]

"""The controller: elections, reassignments, eligible leaders, and their descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    alter_configs,
    create_partitions,
    create_topics,
    elect,
    new_topic,
    reassign,
    reassignments,
)
from integration.parity.requests import batch, fetch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import THREE
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

ALL = (1, 2, 3)
A = batch("a")


@scenario(on=THREE)
def elections_in_every_form(kafka: Kafka) -> Observations:
    """Elections of several partitions, repeated, in old versions, and of unknown types."""
    topic = kafka.topic(2, replicas=(1, 2))
    other = kafka.new_name("unknown")
    kafka.request(reassign(topic, (2, 1)))
    requested = [
        TopicPartitions(topic=topic, partitions=[0, 1, 7]),
        TopicPartitions(topic=other, partitions=[0]),
    ]
    for version in range(3):
        yield version, kafka.request(ElectLeadersRequest(topic_partitions=requested), version)
    for kind in (1, 2, -1):
        yield (
            kind,
            kafka.request(ElectLeadersRequest(topic_partitions=requested, election_type=kind), 2),
        )
    yield "none", kafka.request(ElectLeadersRequest(topic_partitions=[]))


@scenario(on=THREE, alone=True)
def elections_of_everything(kafka: Kafka) -> Observations:
    """Without names, an election is for all topics, and returns only elected partitions."""
    topic = kafka.topic(2, replicas=(1, 2))
    kafka.request(reassign(topic, (2, 1)))
    for kind in (0, 1, 5):
        response = kafka.request(ElectLeadersRequest(topic_partitions=None, election_type=kind))
        ours = [each for each in response.replica_election_results if each.topic == topic]
        yield kind, response.error_code, ours


@scenario(on=THREE)
def reassignments_with_a_replication_factor(kafka: Kafka) -> Observations:
    """Reassignments to more and fewer replicas, with and without a change of their number."""
    topic = kafka.topic(replicas=(1, 2))
    for version, insists, to in (
        (1, True, (1,)),
        (1, True, ALL),
        (1, True, (2, 1)),
        (0, False, ALL),
    ):
        request = reassign(topic, to)
        request.allow_replication_factor_change = not insists
        yield to, kafka.request(request, version)
    _wait_for_replicas(kafka, topic, ALL)
    kafka.wait_for_isr(topic, ALL)
    yield kafka.metadata(topic)
    yield kafka.request(reassign(topic, (2,)))
    _wait_for_replicas(kafka, topic, (2,))
    yield kafka.metadata(topic)


@scenario(on=THREE, alone=True, slow=True)
def reassignments_that_wait(kafka: Kafka) -> Observations:
    """A reassignment to a node that is down is listed, can be replaced, and can be cancelled."""
    topic = kafka.topic(2, replicas=(1, 2))
    kafka.crash(3)
    kafka.wait_for_isr(topic, (1, 2))
    _wait_for_fenced(kafka, 3)
    yield kafka.request(reassign(topic, (1, 3), (3, 2)))
    yield kafka.request(reassignments(topic, 0, 1, 9))
    everything = kafka.request(ListPartitionReassignmentsRequest(topics=None))
    yield [each for each in everything.topics if each.name == topic]
    yield "elect", kafka.request(elect(topic, 0, 1))
    yield "elsewhere", kafka.request(reassign(topic, (2, 1)))
    yield kafka.request(reassignments(topic, 0, 1))
    yield "off", kafka.request(reassign(topic, None, None))
    yield kafka.request(reassignments(topic, 0, 1))
    kafka.wait_for_isr(topic, (1, 2))
    _wait_for_replicas(kafka, topic, (1, 2))
    yield kafka.metadata(topic)


@scenario(on=THREE)
def error_messages(kafka: Kafka) -> Observations:
    """Errors have messages, except those whose code is sufficient."""
    topic = kafka.topic(replicas=(1, 2))
    for index, unclean in ((0, False), (0, True), (4, False)):
        (response,) = kafka.request(elect(topic, index, unclean=unclean)).replica_election_results
        yield _messages(kafka, topic, response.partition_result)
    for to in ((9, 8), (1, 1), (), None):
        (moved,) = kafka.request(reassign(topic, to)).responses
        yield _messages(kafka, topic, moved.partitions)
    insisting = reassign(topic, ALL, ALL)
    insisting.allow_replication_factor_change = False
    (moved,) = kafka.request(insisting).responses
    yield _messages(kafka, topic, moved.partitions)
    for assigned in ({0: (1, 9)}, {0: (1, 1)}, {0: ()}, {0: (1,), 1: (1, 2)}):
        made = kafka.request(create_topics(new_topic(kafka.new_name("topic"), replicas=assigned)))
        yield [each.error_message for each in made.topics]
    for partitions, factor in ((0, 1), (1, 0), (0, 0), (-2, -2)):
        made = kafka.request(create_topics(new_topic(kafka.new_name("topic"), partitions, factor)))
        yield [each.error_message for each in made.topics]
    for count, by_hand in ((1, None), (0, None), (2, [(1,)]), (3, [(1, 2)]), (2, [(1, 9)])):
        grown = kafka.request(create_partitions(topic, count, replicas=by_hand))
        yield _messages(kafka, topic, grown.results)


@scenario(on=THREE, alone=True, slow=True)
def eligible_leaders(kafka: Kafka) -> Observations:
    """All in-sync replicas crash, one by one: only the last one returns as the leader (KIP-966)."""
    topic = kafka.topic(replicas=(2, 3), min_insync_replicas="2")
    yield kafka.request(produce(topic, A), node=2)
    kafka.crash(2)
    kafka.wait_for_isr(topic, (3,))
    yield kafka.metadata(topic)
    kafka.crash(3)
    kafka.wait_for_leader(topic, -1)
    yield kafka.metadata(topic)
    kafka.restart(2)
    _wait_for_alive(kafka, 2)
    yield "the first is back", kafka.metadata(topic)
    yield kafka.request(elect(topic, 0))
    kafka.restart(3)
    kafka.wait_for_leader(topic, 3)
    kafka.wait_for_isr(topic, (2, 3))
    yield "the last is back", kafka.metadata(topic)
    yield kafka.request(fetch(topic), node=3)


@scenario(on=THREE, alone=True, slow=True)
def unclean_elections(kafka: Kafka) -> Observations:
    """An unclean election is requested, or allowed by the topic's configuration."""
    topic = kafka.topic(replicas=(3, 2))
    allowing = kafka.topic(replicas=(3, 2), unclean_leader_election_enable="true")
    kafka.crash(2)
    for each in (topic, allowing):
        kafka.wait_for_isr(each, (3,))
    kafka.crash(3)
    for each in (topic, allowing):
        kafka.wait_for_leader(each, -1)
    kafka.restart(2)
    kafka.wait_for_leader(allowing, 2)
    yield "allowed", kafka.metadata(allowing)
    yield "preferred", kafka.request(elect(topic, 0))
    yield "unclean", kafka.request(elect(topic, 0, unclean=True))
    kafka.wait_for_leader(topic, 2)
    yield kafka.metadata(topic)
    yield "again", kafka.request(elect(topic, 0, unclean=True))
    kafka.restart(3)
    kafka.wait_for_isr(topic, (2, 3))
    yield kafka.metadata(topic)


@scenario(on=THREE, alone=True, slow=True)
def unclean_elections_allowed_later(kafka: Kafka) -> Observations:
    """Allowing unclean elections has no immediate effect on a partition without a leader."""
    topic = kafka.topic(replicas=(3, 2))
    kafka.crash(2)
    kafka.wait_for_isr(topic, (3,))
    kafka.crash(3)
    kafka.wait_for_leader(topic, -1)
    kafka.restart(2)
    _wait_for_alive(kafka, 2)
    yield kafka.request(alter_configs(topic, ("unclean.leader.election.enable", 0, "true")))
    kafka.pass_time(kafka.topic(), 1000)
    yield kafka.metadata(topic)


@scenario(on=THREE, alone=True, slow=True)
def topics_while_a_node_is_down(kafka: Kafka) -> Observations:
    """A fenced node is assigned replicas last, starts out of sync, and leads nothing."""
    before = kafka.topic(replicas=ALL)
    kafka.crash(3)
    _wait_for_fenced(kafka, 3)
    spread, by_hand, grown = (kafka.new_name("topic") for _ in range(3))
    yield kafka.request(create_topics(new_topic(spread, 4, 3))).topics[0].error_code
    yield (
        kafka.request(create_topics(new_topic(by_hand, replicas={0: (3, 1)}))).topics[0].error_code
    )
    yield kafka.request(create_topics(new_topic(kafka.new_name("topic"), replicas={0: (3,)})))
    yield kafka.request(create_topics(new_topic(grown, 1, 1))).topics[0].error_code
    eventually(lambda: kafka.metadata(grown).error_code == 0, grown)
    yield kafka.request(create_partitions(grown, 2, replicas=[(3,)]))
    eventually(lambda: len(kafka.metadata(spread).partitions) == 4, spread)
    for partition in kafka.metadata(spread).partitions:
        yield partition.replica_nodes[2], partition.offline_replicas, len(partition.isr_nodes)
    yield kafka.metadata(by_hand)
    for version in (0, 1, 5, 13):
        yield version, _metadata(kafka, before, version)
    for version, fenced in ((1, False), (2, False), (2, True)):
        response = _cluster(kafka, version, fenced=fenced)
        yield fenced, sorted((each.broker_id, each.is_fenced) for each in response.brokers)


@scenario(on=THREE)
def partitions_are_striped(kafka: Kafka) -> Observations:
    """Replicas are assigned to consecutive nodes, and leaders alternate."""
    name = kafka.new_name("topic")
    kafka.request(create_topics(new_topic(name, 9, 2)))
    eventually(lambda: len(kafka.metadata(name).partitions) == 9, name)
    partitions = sorted(kafka.metadata(name).partitions, key=lambda each: each.partition_index)
    placed = [tuple(each.replica_nodes) for each in partitions]
    for placements in (placed[:3], placed[3:6], placed[6:]):
        yield sorted(leader for leader, _ in placements)
        yield all(placements[i][1] == placements[(i + 1) % 3][0] for i in range(3))


def _messages(kafka: Kafka, topic: str, results: Sequence[Any]) -> list[str | None]:
    return [each.error_message and each.error_message.replace(topic, "T") for each in results]


def _metadata(kafka: Kafka, topic: str, version: int) -> Any:
    requested = MetadataRequest(
        topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=version < 4
    )
    return kafka.request(requested, version).topics[0]


def _cluster(kafka: Kafka, version: int, *, fenced: bool) -> Any:
    request = DescribeClusterRequest(
        include_cluster_authorized_operations=False, include_fenced_brokers=fenced
    )
    return kafka.request(request, version)


def _alive(kafka: Kafka) -> set[int]:
    return {each.broker_id for each in _cluster(kafka, 2, fenced=False).brokers}


def _wait_for_fenced(kafka: Kafka, node: int) -> None:
    eventually(lambda: node not in _alive(kafka), f"{node} is fenced")


def _wait_for_alive(kafka: Kafka, node: int) -> None:
    eventually(lambda: node in _alive(kafka), f"{node} is alive")


def _wait_for_replicas(kafka: Kafka, topic: str, nodes: Sequence[int]) -> None:
    def there() -> bool:
        partitions = kafka.metadata(topic).partitions
        return all(sorted(each.replica_nodes) == sorted(nodes) for each in partitions)

    eventually(there, f"{topic} is on {nodes}")

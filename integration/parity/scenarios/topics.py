"""Topics: created, rejected, extended and deleted."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    create_partitions,
    create_topics,
    delete_topics,
    new_topic,
)
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from protocol.messages.create_topics import CreatableReplicaAssignment, CreatableTopic
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic


@scenario()
def topics_are_created(kafka: Kafka) -> Observations:
    """The response to a creation in every version, and the metadata of the topic."""
    for version in range(2, 8):
        name = kafka.new_name("topic")
        yield version, _made(kafka, new_topic(name, 3), version)
        _wait_for(kafka, name)
        yield kafka.metadata(name)


@scenario()
def topics_with_defaults(kafka: Kafka) -> Observations:
    """-1 partitions and replicas are the broker's defaults; before v4 they are rejected."""
    for version in (2, 3, 4, 7):
        yield version, _made(kafka, new_topic(kafka.new_name("topic"), -1, -1), version)


@scenario()
def topics_with_bad_names(kafka: Kafka) -> Observations:
    """Names that are empty, too long, only dots, or have characters other than [a-zA-Z0-9._-]."""
    for name in ("", ".", "..", "a b", "ä", "a/b", "x" * 249, "x" * 250, "a\0b", "..."):
        topic = new_topic(name) if name != "x" * 249 else new_topic(kafka.new_name("topic"))
        response = kafka.request(create_topics(topic))
        yield len(name), [each.error_code for each in response.topics]


@scenario()
def topics_that_collide(kafka: Kafka) -> Observations:
    """A name that differs from another only in dots and underscores is rejected."""
    name = kafka.new_name("topic")
    for each in (f"{name}.a_b", f"{name}.a.b", f"{name}_a_b", f"{name}.a_b"):
        yield [t.error_code for t in kafka.request(create_topics(new_topic(each))).topics]


@scenario()
def topics_with_bad_numbers(kafka: Kafka) -> Observations:
    """Invalid numbers of partitions and replicas."""
    for partitions in (0, -2, -100):
        response = kafka.request(create_topics(new_topic(kafka.new_name("topic"), partitions)))
        yield "partitions", partitions, response
    for replication in (0, 2, -2):
        response = kafka.request(create_topics(new_topic(kafka.new_name("topic"), 1, replication)))
        yield "replication", replication, response


@scenario()
def topics_with_bad_replicas(kafka: Kafka) -> Observations:
    """Assignments with unknown nodes, gaps, repeated nodes, or numbers in addition."""
    nowhere: list[int] = []
    for replicas in (
        {0: [1]},
        {0: [9]},
        {0: [1, 1]},
        {1: [1]},
        {0: [1], 2: [1]},
        {0: nowhere},
        {0: [-1]},
    ):
        yield replicas, _made(kafka, new_topic(kafka.new_name("topic"), replicas=replicas))
    both = new_topic(kafka.new_name("topic"), replicas={0: [1]})
    both.num_partitions, both.replication_factor = 1, 1
    yield "both", kafka.request(create_topics(both))


@scenario()
def topics_with_their_configs(kafka: Kafka) -> Observations:
    """The configs in the response are sorted by name."""
    (made,) = kafka.request(create_topics(new_topic(kafka.new_name("topic")))).topics
    yield [each.name for each in made.configs]


@scenario()
def topics_with_several_errors(kafka: Kafka) -> Observations:
    """The name is checked before the assignments, and those in their order."""
    for name in (kafka.topic(), "a b", kafka.new_name("topic")):
        for replicas in ([(1, [1])], [(0, [1]), (0, [1])], [(0, [-1]), (0, [2])], [(1, [7])]):
            topic = new_topic(name, -1, -1)
            topic.assignments = [
                CreatableReplicaAssignment(partition_index=index, broker_ids=nodes)
                for index, nodes in replicas
            ]
            yield replicas, kafka.request(create_topics(topic))


@scenario()
def topics_with_bad_configs(kafka: Kafka) -> Observations:
    """Unknown keys and values out of range."""
    for key, value in (
        ("retention.ms", "-2"),
        ("retention.ms", "soon"),
        ("no.such.key", "1"),
        ("cleanup.policy", "burn"),
        ("min.insync.replicas", "0"),
        ("segment.bytes", "13"),
        ("compression.type", "zip"),
        ("retention.ms", None),
        ("max.message.bytes", ""),
    ):
        topic = new_topic(kafka.new_name("topic"), configs={key: value})
        yield key, value, kafka.request(create_topics(topic))


@scenario()
def topics_only_validated(kafka: Kafka) -> Observations:
    """validate_only returns the same response, and creates nothing."""
    name = kafka.new_name("topic")
    yield _made(kafka, new_topic(name), validate_only=True)
    yield kafka.metadata(name)
    yield kafka.request(create_topics(new_topic(name, 0), validate_only=True))


@scenario()
def topics_twice(kafka: Kafka) -> Observations:
    """An existing topic, and a topic that a request names twice."""
    existing, twice = kafka.topic(), kafka.new_name("topic")
    yield kafka.request(create_topics(new_topic(existing)))
    yield kafka.request(create_topics(new_topic(twice), new_topic(twice, 2)))


@scenario()
def topics_are_deleted(kafka: Kafka) -> Observations:
    """By name and by id; a deleted topic is unknown, and can be created again, empty."""
    topic = kafka.topic()
    kafka.request(produce(topic, batch("a")))
    yield kafka.request(delete_topics(topic))
    eventually(lambda: kafka.metadata(topic).error_code != 0, "the topic is deleted")
    yield kafka.metadata(topic)
    yield "again", kafka.request(delete_topics(topic))
    kafka.request(create_topics(new_topic(topic)))
    _wait_for(kafka, topic)
    by_id = DeleteTopicsRequest(
        topics=[DeleteTopicState(topic_id=kafka.metadata(topic).topic_id)], timeout_ms=1000
    )
    yield "by id", kafka.request(by_id)
    yield (
        "unknown id",
        kafka.request(
            DeleteTopicsRequest(topics=[DeleteTopicState(topic_id=UUID(int=7))], timeout_ms=1000)
        ),
    )


@scenario()
def topics_deleted_in_unusual_ways(kafka: Kafka) -> Observations:
    """Both a name and an id, neither, a repeated one, and requests of old versions."""
    topic = kafka.topic()
    topic_id = kafka.metadata(topic).topic_id
    both = DeleteTopicState(name=topic, topic_id=topic_id)
    neither = DeleteTopicState()
    for states in ([both], [neither], [DeleteTopicState(name=topic)] * 2):
        yield kafka.request(DeleteTopicsRequest(topics=states, timeout_ms=1000))
    for version in (1, 4, 5):
        old = DeleteTopicsRequest(topic_names=[kafka.new_name("unknown")], timeout_ms=1000)
        yield version, kafka.request(old, version)


@scenario()
def partitions_are_added(kafka: Kafka) -> Observations:
    """A topic can only get more partitions; other changes are rejected."""
    topic = kafka.topic(2)
    for count in (2, 1, 0, -1, 3):
        yield count, kafka.request(create_partitions(topic, count))
    eventually(lambda: len(kafka.metadata(topic).partitions) == 3, "three partitions")
    yield "only validated", kafka.request(create_partitions(topic, 5, validate_only=True))
    yield kafka.metadata(topic)
    yield "unknown", kafka.request(create_partitions(kafka.new_name("unknown"), 5))
    nowhere: list[int] = []
    for replicas in ([[1]], [[1], [1]], [[9]], [nowhere], [[1, 1]]):
        yield replicas, kafka.request(create_partitions(topic, 4, replicas=replicas))


@scenario()
def topics_created_in_unusual_ways(kafka: Kafka) -> Observations:
    """A partition assigned twice, a repeated key, no partitions, and valid topics in between."""
    for replicas in ([(0, [1]), (0, [1])], [(0, [1]), (1, [])], [(-1, [1])], [(0, [1]), (1, [9])]):
        topic = new_topic(kafka.new_name("topic"), -1, -1)
        topic.assignments = [
            CreatableReplicaAssignment(partition_index=index, broker_ids=list(nodes))
            for index, nodes in replicas
        ]
        for validate_only in (True, False):
            yield replicas, kafka.request(create_topics(topic, validate_only=validate_only))
    topic = new_topic(kafka.new_name("topic"), configs={"retention.ms": "soon"})
    topic.configs += new_topic("other", configs={"retention.ms": "2"}).configs
    yield [each.error_code for each in kafka.request(create_topics(topic)).topics]
    many = [new_topic(kafka.new_name("topic"), count) for count in (6000, 4001)]
    yield "too many together", kafka.request(create_topics(*many, new_topic("a b")))
    yield kafka.request(create_topics())
    yield kafka.request(create_topics(new_topic("__cluster_metadata")))
    good, few = kafka.new_name("topic"), kafka.new_name("topic")
    made = kafka.request(create_topics(new_topic(good), new_topic("a b"), new_topic(few, 0)))
    yield sorted((each.name, each.error_code) for each in made.topics)


@scenario()
def partitions_are_added_in_unusual_ways(kafka: Kafka) -> Observations:
    """Repeated topics, unknown ones, none; and assignments that are too many or too few."""
    topic, other = kafka.topic(), kafka.topic()
    grown, bad = (
        CreatePartitionsTopic(name=each, count=2, assignments=None) for each in (topic, "a b")
    )
    beside = CreatePartitionsTopic(name=other, count=2, assignments=None)
    for topics in ([grown, grown], [grown, beside, grown], [bad, bad], [bad], []):
        requested = CreatePartitionsRequest(topics=topics, timeout_ms=5000, validate_only=True)
        for version in range(4):
            response = kafka.request(requested, version)
            response.results.sort(key=lambda each: each.name)
            yield version, response
    for count, replicas in (
        (2, []),
        (3, [[1]]),
        (2, [[1], [1]]),
        (2, [[1, 9]]),
        (2, [[-1]]),
        (1, []),
        (1, None),
    ):
        requested = create_partitions(topic, count, replicas=replicas, validate_only=True)
        yield count, replicas, kafka.request(requested)


@scenario()
def metadata_of_unknown_topics(kafka: Kafka) -> Observations:
    """An unknown name or id has its error; invalid names are rejected, not created."""
    yield kafka.metadata(kafka.new_name("unknown"))
    unknown_id = MetadataRequest(topics=[MetadataRequestTopic(topic_id=UUID(int=9), name=None)])
    yield "by id", kafka.request(unknown_id).topics
    for name in ("a b", "", ".."):
        requested = MetadataRequest(topics=[MetadataRequestTopic(name=name)])
        yield kafka.request(requested).topics


@scenario()
def metadata_creates_topics(kafka: Kafka) -> Observations:
    """The first response for an unknown topic is an error, a later one has the topic."""
    name = kafka.new_name("topic")
    requested = MetadataRequest(topics=[MetadataRequestTopic(name=name)])
    yield "first", kafka.request(requested).topics
    eventually(lambda: kafka.request(requested).topics[0].error_code == 0, "the topic is made")
    yield kafka.request(requested).topics


@scenario()
def metadata_creates_topics_in_every_version(kafka: Kafka) -> Observations:
    """The same error in all versions; from v4 on a request can prevent the creation."""
    for version in range(14):
        for allowed in (True, False):
            requested = MetadataRequest(
                topics=[MetadataRequestTopic(name=kafka.new_name("topic"))],
                allow_auto_topic_creation=allowed,
            )
            yield version, allowed, kafka.request(requested, version).topics


@scenario()
def metadata_of_topics_that_cannot_be_created(kafka: Kafka) -> Observations:
    """A colliding name stays unknown; an invalid name is rejected."""
    first = kafka.new_name("topic")
    kafka.request(create_topics(new_topic(first + ".a")))
    _wait_for(kafka, first + ".a")
    for name in (first + "_a", first + "_a", "a b", "", ".."):
        requested = MetadataRequest(topics=[MetadataRequestTopic(name=name)])
        yield kafka.request(requested).topics


@scenario()
def metadata_of_unknown_internal_topics(kafka: Kafka) -> Observations:
    """Their responses mark them as internal."""
    requested = MetadataRequest(
        topics=[MetadataRequestTopic(name="__share_group_state")], allow_auto_topic_creation=False
    )
    yield kafka.request(requested).topics


@scenario()
def metadata_of_nothing_and_of_the_cluster(kafka: Kafka) -> Observations:
    """An empty list requests no topics; brokers and controller are returned."""
    for version in (1, 4, 8, 9, 12, 13):
        response = kafka.request(
            MetadataRequest(topics=[], allow_auto_topic_creation=True), version
        )
        yield (
            version,
            response.brokers,
            response.controller_id,
            response.topics,
            response.error_code,
        )


@scenario()
def metadata_with_authorized_operations(kafka: Kafka) -> Observations:
    """The authorized operations, if they are requested."""
    topic = kafka.topic()
    requested = MetadataRequest(
        topics=[MetadataRequestTopic(name=topic), MetadataRequestTopic(name="a/b")],
        include_cluster_authorized_operations=True,
        include_topic_authorized_operations=True,
    )
    for version in (8, 10, 12):
        response = kafka.request(requested, version)
        operations = {each.name: each.topic_authorized_operations for each in response.topics}
        yield version, operations[topic], operations["a/b"], response.cluster_authorized_operations


def _wait_for(kafka: Kafka, topic: str) -> None:
    """Wait until a topic is known."""
    eventually(lambda: kafka.metadata(topic).error_code == 0, topic)


def _made(kafka: Kafka, topic: CreatableTopic, version: int = 7, **how: bool) -> Any:
    """The response to CreateTopics without the configuration, which `settings.py` checks."""
    response = kafka.request(create_topics(topic, **how), version)
    for each in response.topics:
        each.configs = []
    return response

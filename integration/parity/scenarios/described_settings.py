"""All configuration keys that DescribeConfigs returns for brokers, topics, groups and clients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    BROKER,
    CLIENT_METRICS,
    DELETE,
    GROUP,
    SET,
    TOPIC,
    alter_configs,
    describe_configs,
)
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.api_versions import ApiVersionsRequest

# Keys with the broker's address, and keys that only Kafka needs to run in a small process.
_OF_THE_SETUP = frozenset(
    {
        "advertised.listeners",
        "controller.listener.names",
        "controller.quorum.voters",
        "listeners",
        "log.dirs",
        "offsets.topic.replication.factor",
        "process.roles",
        "share.coordinator.state.topic.min.isr",
        "share.coordinator.state.topic.replication.factor",
        "transaction.state.log.min.isr",
        "transaction.state.log.num.partitions",
        "transaction.state.log.replication.factor",
    }
)

_THREADS = (
    "num.io.threads",
    "num.network.threads",
    "num.replica.fetchers",
    "num.recovery.threads.per.data.dir",
    "background.threads",
    "log.cleaner.threads",
)


@scenario(alone=True)
def settings_of_a_broker(kafka: Kafka) -> Observations:
    """All keys of a broker: value, source, type, synonyms, sensitivity and mutability."""
    yield from _described(kafka, "1", BROKER)


@scenario(alone=True)
def settings_of_all_brokers(kafka: Kafka) -> Observations:
    """The cluster-wide keys: min.insync.replicas is always one of them."""
    yield from _described(kafka, "", BROKER)


@scenario()
def settings_of_a_new_topic(kafka: Kafka) -> Observations:
    """All keys of a topic without configuration, with their synonyms."""
    yield from _described(kafka, kafka.topic(), TOPIC)


@scenario()
def internal_size_of_segments(kafka: Kafka) -> Observations:
    """It is described if it is set, and a larger batch is refused."""
    topic = kafka.topic(internal_segment_bytes="300")
    yield from _described(kafka, topic, TOPIC)
    for size in (10, 1000):
        yield size, kafka.request(produce(topic, batch("x" * size))).responses


@scenario()
def settings_of_a_new_group(kafka: Kafka) -> Observations:
    """All keys of a group without configuration, including share and streams groups."""
    yield from _described(kafka, kafka.new_name("group"), GROUP)


@scenario()
def settings_of_client_metrics(kafka: Kafka) -> Observations:
    """A client-metrics resource has defaults and set values; invalid values are rejected."""
    name = kafka.new_name("subscription")
    yield from _described(kafka, name, CLIENT_METRICS)
    for key, value in (
        ("interval.ms", "99"),
        ("interval.ms", "soon"),
        ("match", "client_id"),
        ("match", "no_such_thing=a"),
        ("match", "client_id=["),
        ("no.such.key", "1"),
    ):
        change = (key, SET, value)
        yield change, kafka.request(alter_configs(name, change, kind=CLIENT_METRICS)).responses
    yield kafka.request(alter_configs("", ("metrics", SET, "*"), kind=CLIENT_METRICS)).responses
    changes = [("match", SET, "client_id=a.*"), ("metrics", SET, "*"), ("interval.ms", SET, "100")]
    yield kafka.request(alter_configs(name, *changes, kind=CLIENT_METRICS, validate_only=True))


@scenario()
def settings_of_share_and_streams_groups(kafka: Kafka) -> Observations:
    """Bounds of keys, with Kafka's messages."""
    group = kafka.new_name("group")
    for key, value in (
        ("share.session.timeout.ms", "1"),
        ("share.session.timeout.ms", "46000"),
        ("share.heartbeat.interval.ms", "99999"),
        ("share.record.lock.duration.ms", "999"),
        ("share.record.lock.duration.ms", "1000"),
        ("share.delivery.count.limit", "11"),
        ("share.partition.max.record.locks", "4001"),
        ("share.auto.offset.reset", "by_duration:PT1H"),
        ("share.auto.offset.reset", "by_duration:-PT1H"),
        ("share.auto.offset.reset", "LATEST"),
        ("share.isolation.level", "none"),
        ("share.renew.acknowledge.enable", "maybe"),
        ("streams.session.timeout.ms", "60001"),
        ("streams.num.standby.replicas", "3"),
        ("streams.initial.rebalance.delay.ms", "1"),
        ("streams.assignment.interval.ms", "15001"),
    ):
        requested = alter_configs(group, (key, SET, value), kind=GROUP, validate_only=True)
        yield key, value, kafka.request(requested).responses


@scenario()
def settings_that_a_broker_rejects(kafka: Kafka) -> Observations:
    """Keys that cannot change at run time, or only for one node, or for one listener."""
    for key, value in (
        ("log.cleaner.threads", "2"),
        ("log.cleaner.threads", "-1"),
        ("log.cleaner.io.max.bytes.per.second", "fast"),
        ("num.partitions", "3"),
        ("log.initial.task.delay.ms", "3"),
        ("node.id", "3"),
        ("log.dirs", "/elsewhere"),
        ("advertised.listeners", "PLAINTEXT://x:1"),
        ("inter.broker.listener.name", "X"),
        ("early.start.listeners", "X"),
        ("delegation.token.secret.key", "x"),
        ("ssl.client.auth", "maybe"),
        ("ssl.keystore.location", "/keys"),
        ("sasl.jaas.config", "x"),
        ("principal.builder.class", "no.such.Class"),
        ("listener.name.plaintext.ssl.keystore.location", "/keys"),
        ("transaction.partition.verification.enable", "false"),
        ("group.consumer.assignment.interval.ms", "20000"),
        ("group.streams.assignment.interval.ms", "15000"),
        ("segment.bytes", "3"),
        ("no.such.key", "3"),
    ):
        for node in ("1", ""):
            requested = alter_configs(node, (key, SET, value), kind=BROKER, validate_only=True)
            yield key, value, node, kafka.request(requested).responses


@scenario(alone=True)
def numbers_of_threads_that_change(kafka: Kafka) -> Observations:
    """Thread counts change at most to half or double, per node, cluster-wide, and by removal."""
    changes = [
        (node, (key, SET, str(value)))
        for key in _THREADS
        for node, value in (("1", 1), ("1", 3), ("1", 5), ("", 2), ("", 4), ("1", 16), ("1", 21))
    ]
    for node, change in changes:
        requested = alter_configs(node, change, kind=BROKER, validate_only=True)
        yield node, change, kafka.request(requested).responses
    threads = "num.io.threads"
    for node, operation, value, *values in (
        ("", SET, "16", "16", "8"),
        ("1", SET, "3", "16", "8"),
        ("1", SET, "32", "32", "16", "8"),
        ("", SET, "2", "32", "2", "8"),
        ("1", DELETE, None, "32", "2", "8"),
        ("", DELETE, None, "32", "8"),
        ("1", SET, "16", "16", "8"),
        ("1", DELETE, None, "8"),
    ):
        requested = alter_configs(node, (threads, operation, value), kind=BROKER)
        yield node, operation, value, kafka.request(requested).responses
        eventually(partial(_values, kafka, threads, values), f"{threads} has the values {values}")


@scenario(alone=True)
def settings_of_a_broker_that_were_changed(kafka: Kafka) -> Observations:
    """Keys without effect, synonyms with coarser units, passwords, and unknown keys."""
    changes = (
        ("log.cleaner.threads", "2"),
        ("listener.name.plaintext.ssl.keystore.location", "/keys"),
        ("listener.name.plaintext.ssl.keystore.password", "x"),
        ("listener.name.plaintext.max.connections", "50000"),
        ("sasl.jaas.config", "x"),
        ("log.roll.ms", "1000000"),
        ("no.such.key", "x"),
        ("segment.bytes", "9999999"),
    )
    for key, value in changes:
        kafka.request(alter_configs("1", (key, SET, value), kind=BROKER))
    kafka.request(alter_configs("", ("no.such.key", SET, "y"), kind=BROKER))
    requested = describe_configs("1", "no.such.key", kind=BROKER, synonyms=True)
    eventually(
        lambda: any(
            len(each.synonyms) == 2 for each in kafka.request(requested).results[0].configs
        ),
        "the broker knows what was set last",
    )
    yield from _described(kafka, "1", BROKER, *(key for key, _ in changes), "log.roll.hours")
    yield from _described(kafka, kafka.topic(), TOPIC, "segment.ms")
    for key, _ in changes:
        kafka.request(alter_configs("1", (key, DELETE, None), kind=BROKER))
    kafka.request(alter_configs("", ("no.such.key", DELETE, None), kind=BROKER))
    kafka.settle()


@scenario()
def features_of_the_cluster(kafka: Kafka) -> Observations:
    """Supported and finalized features; version 3 leaves out those with level 0."""
    for version in (3, 4):
        request = ApiVersionsRequest(client_software_name="parity", client_software_version="1")
        response = kafka.request(request, version)
        yield version, sorted(response.supported_features, key=lambda each: each.name)
        yield version, sorted(response.finalized_features, key=lambda each: each.name)


def _values(kafka: Kafka, key: str, values: Sequence[str]) -> bool:
    """Whether the node has these values of a key: its own, the cluster's and the default."""
    (result,) = kafka.request(describe_configs("1", key, kind=BROKER, synonyms=True)).results
    return [each.value for each in result.configs[0].synonyms] == list(values)


def _described(kafka: Kafka, name: str, kind: int, *keys: str) -> Iterator[object]:
    (result,) = kafka.request(describe_configs(name, *keys, kind=kind, synonyms=True)).results
    yield result.error_code
    for each in sorted(result.configs, key=lambda config: config.name):
        facts = each.name, each.config_type, each.is_sensitive, each.read_only
        if each.name in _OF_THE_SETUP:
            yield facts
        else:
            synonyms = [(s.name, s.value, s.source) for s in each.synonyms]
            yield (*facts, each.value, each.config_source, synonyms)

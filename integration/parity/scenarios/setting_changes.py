"""Changes of configurations, and their errors."""

from __future__ import annotations

from functools import partial

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    APPEND,
    BROKER,
    DELETE,
    SET,
    SUBTRACT,
    alter_configs,
    describe_configs,
    replace_configs,
)
from integration.parity.scenario import Kafka, Observations, scenario

NOWHERE = (0, 1, 3, 64, 99)  # resource types without configuration


@scenario()
def settings_are_replaced(kafka: Kafka) -> Observations:
    """AlterConfigs resets unnamed keys; an invalid value changes nothing."""
    topic = kafka.topic(retention_ms="5000", cleanup_policy="compact")
    for version in range(3):
        value = str(2000 + version)
        yield kafka.request(replace_configs(topic, ("max.message.bytes", value)), version)
        eventually(partial(_is, kafka, topic, "max.message.bytes", value), "it is set")
        yield _value(kafka, topic, "retention.ms"), _value(kafka, topic, "cleanup.policy")
    for settings in (
        [("retention.ms", "soon")],
        [("no.such.key", "1")],
        [("retention.ms", None)],
        [("retention.ms", "1"), ("retention.ms", "2")],
        [("retention.ms", "7000"), ("min.insync.replicas", "-1")],
    ):
        yield settings, kafka.request(replace_configs(topic, *settings))
    one = ("retention.ms", "1")
    yield "validated", kafka.request(replace_configs(topic, one, validate_only=True))
    yield _value(kafka, topic, "retention.ms")
    for name in (kafka.new_name("unknown"), "", "a b"):
        yield kafka.request(replace_configs(name, one))
    for kind in NOWHERE:
        yield kafka.request(replace_configs(topic, one, kind=kind))
    for name in ("99", "one", "-1"):
        yield kafka.request(replace_configs(name, ("message.max.bytes", "1"), kind=BROKER))
    yield "none", kafka.request(replace_configs(topic))
    eventually(partial(_is, kafka, topic, "max.message.bytes", "1048588"), "the default is back")


@scenario()
def settings_that_are_lists(kafka: Kafka) -> Observations:
    """Append and subtract: present, absent and no values, and keys that are not lists."""
    topic, policy = kafka.topic(), "cleanup.policy"
    for changes in (
        [(policy, APPEND, "delete")],
        [(policy, APPEND, "compact,delete")],
        [(policy, SUBTRACT, "nonsense")],
        [(policy, SUBTRACT, "compact,delete")],
        [(policy, APPEND, "nonsense")],
        [(policy, APPEND, "")],
        [(policy, APPEND, None)],
        [(policy, SUBTRACT, None)],
        [(policy, SET, "")],
        [(policy, SET, "compact,compact")],
        [(policy, SET, " compact , delete ")],
        [(policy, DELETE, "compact")],
        [("retention.ms", APPEND, "1")],
        [("retention.ms", SUBTRACT, "1")],
        [("compression.type", APPEND, "zstd")],
        [("no.such.key", APPEND, "1")],
        [("no.such.key", SUBTRACT, "1")],
        [("no.such.key", DELETE, None)],
        [(policy, SET, "compact"), (policy, APPEND, "delete")],
        [("", SET, "1")],
    ):
        yield changes, kafka.request(alter_configs(topic, *changes))
        kafka.settle()
        yield _value(kafka, topic, policy)


@scenario()
def settings_with_several_errors(kafka: Kafka) -> Observations:
    """An unknown operation fails all topics; settings are validated before the topic is sought."""
    topic, other, unknown = kafka.topic(), kafka.topic(), kafka.new_name("unknown")
    for operation in (4, -1):
        together = alter_configs(topic, ("retention.ms", operation, "5"))
        for more in (
            alter_configs("x", ("a", SET, "1"), kind=0),
            alter_configs(other, ("retention.ms", SET, "7000")),
            alter_configs("1", ("log.retention.ms", operation, "7000"), kind=BROKER),
            alter_configs(unknown, ("retention.ms", SET, None)),
        ):
            together.resources += more.resources
        yield kafka.request(together)
        kafka.settle()
        yield _value(kafka, other, "retention.ms")
    for change in (
        ("retention.ms", SET, "soon"),
        ("retention.ms", APPEND, "1"),
        ("retention.ms", SUBTRACT, "1"),
        ("no.such.key", SET, "1"),
        ("no.such.key", APPEND, "1"),
        ("remote.storage.enable", SET, "true"),
    ):
        for name in (unknown, "", "a b"):
            yield change, kafka.request(alter_configs(name, change))
        yield "of clients", kafka.request(alter_configs("", change, kind=16))
        yield "of a group", kafka.request(alter_configs("", change, kind=32))
    yield kafka.request(replace_configs(unknown, ("retention.ms", "soon")))


@scenario()
def lists_that_grow_too_long(kafka: Kafka) -> Observations:
    """A list is at most as long as a string of the protocol, however often it is appended to."""
    topic, key = kafka.topic(), "leader.replication.throttled.replicas"
    for first in (1000, 4000):
        words = ",".join(f"{number}:1" for number in range(first, first + 3000))
        yield first, kafka.request(alter_configs(topic, (key, APPEND, words)))


@scenario()
def settings_of_tools(kafka: Kafka) -> Observations:
    """Throttled replicas and tiered storage: values of tools, and invalid ones."""
    topic, replicas = kafka.topic(), "leader.replication.throttled.replicas"
    for change in (
        (replicas, SET, "*"),
        (replicas, SET, ""),
        (replicas, SET, " 0:1 , 1:2 "),
        (replicas, SET, "0:1,*"),
        (replicas, SET, "0:x"),
        (replicas, SET, "1"),
        (replicas, APPEND, "0:1"),
        (replicas, SUBTRACT, "0:1"),
        ("remote.storage.enable", SET, "true"),
        ("remote.storage.enable", SET, "false"),
        ("remote.storage.enable", SET, "perhaps"),
        ("remote.log.copy.disable", SET, "true"),
        ("remote.log.delete.on.disable", SET, "true"),
        ("local.retention.ms", SET, "-3"),
        ("local.retention.ms", SET, "-2"),
        ("local.retention.bytes", SET, "x"),
    ):
        requested = alter_configs(topic, change, validate_only=True)
        yield change, kafka.request(requested)
    throttle = ((replicas, APPEND, "0:1"), ("local.retention.ms", SET, "5"))
    yield kafka.request(alter_configs(topic, *throttle))
    eventually(partial(_is, kafka, topic, replicas, "0:1"), "it is set")
    for key in (replicas, "local.retention.ms", "remote.storage.enable"):
        yield kafka.request(describe_configs(topic, key, synonyms=True))


@scenario()
def settings_of_brokers(kafka: Kafka) -> Observations:
    """Configurations of a node and of the cluster: mutability, errors, and the addressed node."""
    for name in ("1", "", "99", "one", "-1"):
        for key, operation, value in (
            ("no.such.key", SET, "1"),
            ("retention.ms", SET, "1"),
            ("broker.id", SET, "5"),
            ("log.dirs", SET, "elsewhere"),
            ("num.partitions", SET, "5"),
            ("group.max.size", SET, "5"),
            ("message.max.bytes", SET, "1048588"),
            ("message.max.bytes", SET, "-1"),
            ("max.connections.per.ip", SET, "-1"),
            ("log.retention.ms", SET, "soon"),
            ("log.cleanup.policy", SET, "burn"),
            ("unclean.leader.election.enable", SET, "perhaps"),
            ("min.insync.replicas", SET, "0"),
            ("min.insync.replicas", SET, "1"),
            ("log.cleanup.policy", APPEND, "compact"),
            ("log.cleanup.policy", SUBTRACT, "compact"),
            ("message.max.bytes", APPEND, "1"),
            ("num.partitions", SUBTRACT, "1"),
            ("no.such.key", APPEND, "1"),
        ):
            change = (key, operation, value)
            requested = alter_configs(name, change, kind=BROKER, validate_only=True)
            yield change, kafka.request(requested)


@scenario()
def settings_of_unknown_types(kafka: Kafka) -> Observations:
    """Unknown resource types, no names, and repeated resources."""
    topic, change = kafka.topic(), ("retention.ms", SET, "1")
    for kind in NOWHERE:
        yield kafka.request(alter_configs(topic, change, kind=kind))
        yield kafka.request(describe_configs(topic, kind=kind))
        both = describe_configs(topic, "retention.ms")
        both.resources += describe_configs(topic, kind=kind).resources
        yield kafka.request(both)
    for name in ("", "a b"):
        yield kafka.request(alter_configs(name, change))
        yield kafka.request(describe_configs(name))
    altered = alter_configs(topic, change)
    altered.resources *= 2
    yield kafka.request(altered)
    described = describe_configs(topic, "retention.ms")
    described.resources *= 2
    yield kafka.request(described)
    described = describe_configs(topic)
    described.resources[0].configuration_keys = []
    (result,) = kafka.request(described).results
    yield "no keys are all keys", "retention.ms" in {each.name for each in result.configs}


def _is(kafka: Kafka, topic: str, key: str, value: str) -> bool:
    return _value(kafka, topic, key) == value


def _value(kafka: Kafka, topic: str, key: str) -> str | None:
    (result,) = kafka.request(describe_configs(topic, key)).results
    value: str | None = result.configs[0].value
    return value


@scenario(alone=True)
def settings_with_a_sign(kafka: Kafka) -> Observations:
    """A number of a broker is described without its sign, and the text of each source with it."""
    key, names = "log.flush.interval.messages", ("1", "")
    for name in names:
        yield kafka.request(alter_configs(name, (key, SET, "+7000000"), kind=BROKER))
        kafka.settle()
        for each in names:
            requested = describe_configs(each, key, kind=BROKER, synonyms=True)
            yield each, kafka.request(requested)
    for name in names:
        kafka.request(alter_configs(name, (key, DELETE, None), kind=BROKER))


@scenario()
def settings_with_unusual_texts(kafka: Kafka) -> Observations:
    """Hexadecimal numbers, empty entries of lists, and limits of addresses."""
    topic = kafka.topic()
    reporter = "org.apache.kafka.common.metrics.JmxReporter"
    texts: dict[str, tuple[str, ...]] = {
        "min.cleanable.dirty.ratio": ("0x1p3", "0x.8p0", "0X1.P-1f", "0x1", "0xp1", "0x1p-2000"),
        "cleanup.policy": ("delete,", ",", "compact, ,bogus", "bogus,", ",bogus", "delete,delete"),
        "follower.replication.throttled.replicas": ("*,", ",", "0:1,,0:2", "*,*", "0:1,*", "0:"),
    }
    for key, values in texts.items():
        for value in values:
            changed = alter_configs(topic, (key, SET, value), validate_only=True)
            yield key, value, kafka.request(changed)
    limits = (
        "a",
        "a:",
        ":1",
        "a:b",
        "a:-1",
        "a:99999999999",
        "[::1]:1",
        "::1:1",
        "a:1,b",
        ",",
    )
    of_brokers: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("log.cleaner.min.cleanable.ratio", ("0x1p-1", "0x1p3", "0x1")),
        ("metric.reporters", (f"{reporter},", ",", "bogus,", f" {reporter}", "bogus")),
        ("max.connections.per.ip.overrides", limits),
    )
    for key, values in of_brokers:
        for value in values:
            changed = alter_configs("", (key, SET, value), kind=BROKER, validate_only=True)
            yield key, value, kafka.request(changed)

"""Configurations of topics and brokers: described, altered, and effective."""

from __future__ import annotations

from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    APPEND,
    BROKER,
    DELETE,
    SET,
    SUBTRACT,
    alter_configs,
    create_topics,
    describe_configs,
    new_topic,
)
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka, Observations, scenario

KEYS = ("retention.ms", "cleanup.policy", "max.message.bytes", "compression.type")


@scenario()
def settings_of_a_topic(kafka: Kafka) -> Observations:
    """Set values and defaults, with their sources and types."""
    topic = kafka.topic(retention_ms="100000", cleanup_policy="compact,delete")
    yield _settings(kafka, topic, *KEYS)
    yield _settings(kafka, topic, *KEYS, synonyms=True)


@scenario()
def settings_of_replicas_in_sync(kafka: Kafka) -> Observations:
    """The source of min.insync.replicas: before, during and after it is set for a topic."""
    topic, key = kafka.topic(), "min.insync.replicas"
    yield kafka.request(describe_configs(topic, key, synonyms=True))
    for change, then in (((key, SET, "2"), "2"), ((key, DELETE, None), "1")):
        yield change, kafka.request(alter_configs(topic, change))
        _wait_for(kafka, topic, key, then)
        yield kafka.request(describe_configs(topic, key, synonyms=True))


@scenario()
def settings_of_a_topic_by_key(kafka: Kafka) -> Observations:
    """Every key of a topic, with its default, type and source."""
    (result,) = kafka.request(describe_configs(kafka.topic())).results
    for each in sorted(result.configs, key=lambda config: config.name):
        each.documentation = ""
        yield each.name, each.value, each.config_type, each.config_source, each.read_only


@scenario()
def settings_of_unknown_resources(kafka: Kafka) -> Observations:
    """Unknown topics and brokers, unknown keys, and types without configuration."""
    topic = kafka.topic()
    yield kafka.request(describe_configs(kafka.new_name("unknown")))
    yield kafka.request(describe_configs("99", kind=BROKER))
    yield kafka.request(describe_configs("one", kind=BROKER))
    yield kafka.request(describe_configs(topic, "no.such.key"))
    yield kafka.request(describe_configs(topic, kind=0))
    yield kafka.request(describe_configs("a b"))


@scenario()
def settings_in_the_response_to_a_creation(kafka: Kafka) -> Observations:
    """CreateTopics returns the new topic's configuration."""
    topic = new_topic(kafka.new_name("topic"), configs={"retention.ms": "5000"})
    (made,) = kafka.request(create_topics(topic)).topics
    reported = [each for each in made.configs or [] if each.name in KEYS]
    yield sorted(reported, key=lambda each: each.name)


@scenario()
def settings_are_changed(kafka: Kafka) -> Observations:
    """Set, reset, append and subtract, with the changed source."""
    topic = kafka.topic()
    for change, then in (
        (("retention.ms", SET, "5000"), "5000"),
        (("cleanup.policy", APPEND, "compact"), "delete,compact"),
        (("cleanup.policy", SUBTRACT, "delete"), "compact"),
        (("retention.ms", DELETE, None), "-1"),
        (("max.message.bytes", SET, "1000"), "1000"),
    ):
        yield change, kafka.request(alter_configs(topic, change))
        _wait_for(kafka, topic, change[0], then)
        yield _settings(kafka, topic, *KEYS)


@scenario()
def invalid_settings(kafka: Kafka) -> Observations:
    """Invalid keys, values and operations, and a repeated key."""
    topic = kafka.topic()
    for changes in (
        [("retention.ms", SET, "soon")],
        [("no.such.key", SET, "1")],
        [("retention.ms", APPEND, "1")],
        [("retention.ms", SET, None)],
        [("retention.ms", 9, "1")],
        [("retention.ms", SET, "1"), ("retention.ms", SET, "2")],
        [("max.message.bytes", SET, "5000"), ("min.insync.replicas", SET, "-1")],
    ):
        yield changes, kafka.request(alter_configs(topic, *changes))
    yield (
        "unknown topic",
        kafka.request(alter_configs(kafka.new_name("x"), ("retention.ms", SET, "1"))),
    )
    yield _settings(kafka, topic, *KEYS)


@scenario()
def settings_only_validated(kafka: Kafka) -> Observations:
    """validate_only returns the same response, and changes nothing."""
    topic = kafka.topic()
    for value in ("5000", "soon"):
        change = ("retention.ms", SET, value)
        yield value, kafka.request(alter_configs(topic, change, validate_only=True))
    yield kafka.request(describe_configs(topic, "retention.ms"))


@scenario()
def settings_take_effect_at_once(kafka: Kafka) -> Observations:
    """A smaller max.message.bytes rejects the next batch."""
    topic = kafka.topic()
    yield kafka.request(produce(topic, batch("x" * 2000)))
    yield kafka.request(alter_configs(topic, ("max.message.bytes", SET, "1000")))
    kafka.settle()
    response = kafka.request(produce(topic, batch("x" * 2000)))
    response.responses[0].partition_responses[0].base_offset = -1
    yield response


def _wait_for(kafka: Kafka, topic: str, key: str, value: str) -> None:
    """Wait until a key has a value, because Kafka's brokers apply changes asynchronously."""

    def is_so() -> bool:
        (result,) = kafka.request(describe_configs(topic, key)).results
        return bool(result.configs[0].value == value)

    eventually(is_so, f"{key} is {value}")


def _settings(kafka: Kafka, topic: str, *keys: str, **how: bool) -> Any:
    """The configuration of a topic, sorted by key."""
    response = kafka.request(describe_configs(topic, *keys, **how))
    for result in response.results:
        result.configs.sort(key=lambda each: each.name)
    return response

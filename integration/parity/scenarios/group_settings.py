"""Configurations of groups of the consumer protocol: described, altered, rejected, effective."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import (
    APPEND,
    DELETE,
    GROUP,
    SET,
    alter_configs,
    describe_configs,
    replace_configs,
)
from integration.parity.group_requests import consumer_heartbeat
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.list_config_resources import ListConfigResourcesRequest

SESSION, HEARTBEAT = "consumer.session.timeout.ms", "consumer.heartbeat.interval.ms"


@scenario()
def settings_of_a_group(kafka: Kafka) -> Observations:
    """Before, during and after a configuration is set; an unknown group has one, too."""
    group = kafka.new_name("group")
    yield _configuration(kafka, group)
    yield kafka.request(describe_configs(group, HEARTBEAT, kind=GROUP))
    yield _listed(kafka, group)
    yield kafka.request(alter_configs(group, (SESSION, SET, "50000"), kind=GROUP))
    eventually(lambda: _value(kafka, group, SESSION) == "50000", "it is set")
    yield _configuration(kafka, group)
    yield _listed(kafka, group)
    yield kafka.request(alter_configs(group, (HEARTBEAT, SET, "6000"), kind=GROUP))
    eventually(lambda: _value(kafka, group, HEARTBEAT) == "6000", "it is set")
    yield kafka.request(replace_configs(group, (HEARTBEAT, "7000"), kind=GROUP))
    eventually(lambda: _value(kafka, group, HEARTBEAT) == "7000", "it is set")
    yield _configuration(kafka, group)
    yield kafka.request(alter_configs(group, (HEARTBEAT, DELETE, None), kind=GROUP))
    eventually(lambda: _value(kafka, group, HEARTBEAT) == "5000", "it is not set")
    yield _configuration(kafka, group)
    yield _listed(kafka, group)


@scenario()
def invalid_settings_of_groups(kafka: Kafka) -> Observations:
    """Unknown keys, and values that are not numbers, out of range, or inconsistent."""
    group = kafka.new_name("group")
    for change in (
        ("no.such.key", SET, "1"),
        ("no.such.key", DELETE, None),
        (SESSION, SET, "soon"),
        (SESSION, SET, "1"),
        (SESSION, SET, "0"),
        (SESSION, SET, "-1"),
        (SESSION, SET, "44999"),
        (SESSION, SET, "45000"),
        (SESSION, SET, "60001"),
        (SESSION, SET, None),
        (SESSION, SET, ""),
        (SESSION, APPEND, "50000"),
        (HEARTBEAT, SET, "4999"),
        (HEARTBEAT, SET, "15001"),
        (HEARTBEAT, SET, "0"),
        ("group.consumer.session.timeout.ms", SET, "50000"),
    ):
        yield change, kafka.request(alter_configs(group, change, kind=GROUP, validate_only=True))
    both = ((SESSION, SET, "50000"), (HEARTBEAT, SET, "1"))
    yield "nothing is half done", kafka.request(alter_configs(group, *both, kind=GROUP))
    yield _value(kafka, group, SESSION), _value(kafka, group, HEARTBEAT)
    for name in ("", "a b", "x" * 300):
        yield (
            name,
            kafka.request(
                alter_configs(name, (SESSION, SET, "50000"), kind=GROUP, validate_only=True)
            ),
        )
        (result,) = kafka.request(describe_configs(name, SESSION, kind=GROUP)).results
        yield result


@scenario()
def settings_of_a_group_in_effect(kafka: Kafka) -> Observations:
    """Members get a new interval with their next heartbeats."""
    group, topic = kafka.new_name("group"), kafka.topic()
    member = str(uuid4())
    kafka.formatter.name(member, "consumer")
    joined = kafka.request(consumer_heartbeat(group, member, 0, topics=[topic], owned={}))
    yield joined
    yield kafka.request(alter_configs(group, (HEARTBEAT, SET, "6000"), kind=GROUP))
    eventually(lambda: _value(kafka, group, HEARTBEAT) == "6000", "it is set")
    yield kafka.request(consumer_heartbeat(group, member, joined.member_epoch))


def _configuration(kafka: Kafka, group: str) -> Any:
    """The configuration of a group, sorted, without keys of share and streams groups."""
    (result,) = kafka.request(describe_configs(group, kind=GROUP, synonyms=True)).results
    configs = [each for each in result.configs if each.name.startswith("consumer.")]
    result.configs = sorted(configs, key=lambda each: each.name)
    return result


def _listed(kafka: Kafka, group: str) -> bool:
    response = kafka.request(ListConfigResourcesRequest(resource_types=[GROUP]))
    return group in {each.resource_name for each in response.config_resources}


def _value(kafka: Kafka, group: str, key: str) -> str | None:
    (result,) = kafka.request(describe_configs(group, key, kind=GROUP)).results
    value: str | None = result.configs[0].value if result.configs else None
    return value

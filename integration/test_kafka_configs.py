"""Our configuration keys against those of a real Kafka: its classes print their own tables."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from typing import NamedTuple

import pytest

from broker.config import DEFAULTS, Config, attribute
from broker.config_keys import KEYS
from broker.config_kinds import (
    Boolean,
    CountsByAddress,
    Integer,
    Kind,
    ListOf,
    OneOf,
    OneOfAnyCase,
    ReplicaList,
    Value,
    int16,
    int32,
    int64,
    written,
)
from broker.idle_topic_keys import IDLE_TOPIC_KEYS
from broker.topic_config import TOPIC_KEYS, TopicConfig
from integration.kafka_jars import kafka_jars

pytestmark = pytest.mark.jvm

BROKER_KEYS = "kafka.server.KafkaConfig"
TOPICS_KEYS = "org.apache.kafka.storage.internals.log.LogConfig"
# Kafka keeps these out of the tables it prints.
INTERNAL = {
    "log.initial.task.delay.ms",
    "producer.id.expiration.check.interval.ms",
    "unclean.leader.election.interval.ms",
}
ENTRY = re.compile(r'<h4><a id="([a-z0-9.]+)"></a>.*?</table>', re.DOTALL)
CELL = re.compile(r"<th>([^<:]+):</th><td>([^<]*)</td>")
WHOLE = {"int": int32(), "long": int64(), "short": int16()}


class KafkaKey(NamedTuple):
    """What Kafka says of a key; no range means that it is checked elsewhere, or not at all."""

    config_type: str
    default: str | None
    range: str | None


@cache
def kafka_keys(main_class: str) -> dict[str, KafkaKey]:
    """All keys that a configuration class of Kafka knows."""
    html = subprocess.run(
        ["java", "-cp", f"{kafka_jars()}/*", main_class],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    keys = {}
    for entry in ENTRY.finditer(html):
        cells = dict(CELL.findall(entry[0]))
        # Kafka adds a reading aid to large numbers: 604800000 (7 days).
        default = re.sub(r" \(.*\)$", "", cells["Default"])
        default = "" if default == '""' else default
        keys[entry[1]] = KafkaKey(
            cells["Type"], None if default == "null" else default, cells["Valid Values"] or None
        )
    return keys


def ranged(kind: Kind) -> str | None:
    """A kind of ours as Kafka prints it."""
    if isinstance(kind, Boolean | CountsByAddress | ReplicaList):
        return None
    if isinstance(kind, Integer):
        also = "" if kind.also is None else f" or {kind.also}"
        widest = WHOLE[kind.config_type.name.lower()]
        high = "" if kind.high == widest.high else f",{kind.high}"
        return None if kind == widest else f"[{kind.low},...{high}]{also}"
    if isinstance(kind, OneOfAnyCase):
        return f"(case insensitive) [{', '.join(kind.words)}]"
    if isinstance(kind, OneOf | ListOf):
        return f"[{', '.join(kind.words)}]"
    return f"[{kind.low:g},...,{kind.high:g}]"


def check(name: str, kind: Kind, default: Value, kafka: KafkaKey) -> None:
    """Type and default agree, and so does the range where Kafka prints one."""
    assert kind.config_type.name.lower() == kafka.config_type, name
    assert written(default) == kafka.default, name
    if kafka.range is not None:
        assert ranged(kind) == kafka.range, name


@pytest.mark.parametrize("name", sorted(KEYS.keys() - INTERNAL))
def test_a_brokers_key_is_kafkas(name: str) -> None:
    """Where our default differs on purpose, the table knows Kafka's all the same."""
    key = KEYS[name]

    check(name, key.kind, key.kafka_default or DEFAULTS[name], kafka_keys(BROKER_KEYS)[name])


@pytest.mark.parametrize("name", TOPIC_KEYS)
def test_a_topics_key_is_kafkas(name: str) -> None:
    """What a topic gets from a broker that says nothing is Kafka's default."""
    default = getattr(TopicConfig(Config(), {}), attribute(name))

    check(name, TOPIC_KEYS[name].kind, default, kafka_keys(TOPICS_KEYS)[name])


def test_a_topic_has_all_of_kafkas_keys() -> None:
    """Those that change nothing here among them, with Kafka's types and defaults."""
    for name, key in IDLE_TOPIC_KEYS.items():
        kafka = kafka_keys(TOPICS_KEYS)[name]
        assert (key.kind.config_type.name.lower(), written(key.default)) == kafka[:2], name
    assert TOPIC_KEYS.keys() | IDLE_TOPIC_KEYS.keys() == kafka_keys(TOPICS_KEYS).keys()

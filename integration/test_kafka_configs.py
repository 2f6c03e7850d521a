"""Our configuration keys are those that Kafka's classes define."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from broker.config.client_metrics import CLIENT_METRICS_KEYS
from broker.config.group_keys import GROUP_KEYS
from broker.config.kinds import (
    Decimal,
    Integer,
    Kind,
    ListOf,
    OffsetReset,
    OneOf,
    OneOfAnyCase,
    Text,
    Value,
    format_value,
    int16,
    int32,
    int64,
)
from broker.config.table import KEYS
from broker.config.topics import TOPIC_KEYS
from integration.kafka.java_program import java_command
from integration.machine.deadlines import ENDS_WITHIN_S

pytestmark = pytest.mark.jvm

SOURCE = Path(__file__).parent / "java" / "ConfigTables.java"
WHOLE = {"int": int32(), "long": int64(), "short": int16()}
# Kafka's representation of validators without a range.
UNRANGED = ("non-null string", "non-empty list", "[partitionId]:[brokerId],")


class KafkaKey(NamedTuple):
    """A key as Kafka's class defines it."""

    config_type: str
    default: str | None
    range: str
    change: str
    internal: bool
    behind: tuple[str, ...]


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, KafkaKey]]:
    """All keys of Kafka, by resource and name."""
    command = java_command(SOURCE, "ConfigTables", tmp_path_factory.mktemp("classes"))
    ran = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, timeout=ENDS_WITHIN_S, check=True
    )
    found: dict[str, dict[str, KafkaKey]] = {}
    for line in ran.stdout.splitlines():
        resource, name, kind, default, allowed, change, internal, behind = line.split("\t")
        found.setdefault(resource, {})[name] = KafkaKey(
            config_type=kind,
            default=None if default == "<null>" else default,
            range=allowed,
            change=change,
            internal=internal == "true",
            behind=tuple(behind.split(",")) if behind else (),
        )
    return found


def ranged(kind: Kind) -> str:
    """The representation of our kind as Kafka prints its validator."""
    match kind:
        case Integer():
            also = "" if kind.also is None else f" or {kind.also}"
            widest = WHOLE[kind.config_type.name.lower()]
            high = "" if kind.high == widest.high else f",{kind.high}"
            return "" if kind == widest else f"[{kind.low},...{high}]{also}"
        case Decimal():
            return "" if kind == Decimal() else f"[{kind.low:g},...,{kind.high:g}]"
        case OneOfAnyCase():
            return f"(case insensitive) [{', '.join(kind.values)}]"
        case OneOf() | ListOf():
            return f"[{', '.join(kind.values)}]"
        case OffsetReset():
            return "[latest, earliest, by_duration:PnDTnHnMn.nS]"
        case Text():
            return "" if kind.empty else "non-empty string"
        case _:
            return ""


def check(name: str, kind: Kind, default: Value, kafka: KafkaKey) -> None:
    """Assert that type and default agree, and the range if Kafka has one."""
    assert kind.config_type.name == kafka.config_type, name
    assert format_value(default) == kafka.default, name
    if kafka.range and not kafka.range.startswith(UNRANGED):
        assert ranged(kind) == kafka.range, name


def test_brokers_have_all_of_kafkas_keys(kafka: dict[str, dict[str, KafkaKey]]) -> None:
    """Types, defaults, ranges and update modes agree; listed defaults differ on purpose."""
    assert {name for name, key in KEYS.items() if not key.of_plugin} == kafka["broker"].keys()
    for name, theirs in kafka["broker"].items():
        key = KEYS[name]
        check(name, key.kind, key.kafka_default or key.default, theirs)
        assert key.update_mode.value == theirs.change, name
        assert key.internal == theirs.internal, name


def test_topics_have_all_of_kafkas_keys(kafka: dict[str, dict[str, KafkaKey]]) -> None:
    """The defaults are those of the broker's synonyms."""
    assert TOPIC_KEYS.keys() == kafka["topic"].keys()
    for name, key in TOPIC_KEYS.items():
        theirs = kafka["topic"][name]
        assert tuple(behind for behind, _ in key.synonyms) == theirs.behind, name
        # The last synonym always has a value, maybe in a coarser unit.
        default = KEYS[key.synonyms[-1][0]].default if key.synonyms else key.default
        if key.synonyms and key.synonyms[-1][1] != 1:
            assert isinstance(default, int)
            default *= key.synonyms[-1][1]
        check(name, key.kind, default, theirs)
        assert key.internal == theirs.internal, name


def test_groups_have_all_of_kafkas_keys(kafka: dict[str, dict[str, KafkaKey]]) -> None:
    """The range of a broker's key may be narrower than that of the group's."""
    assert GROUP_KEYS.keys() == kafka["group"].keys()
    for name, key in GROUP_KEYS.items():
        theirs = kafka["group"][name]
        assert ((key.broker_key,) if key.broker_key else ()) == theirs.behind, name
        behind = KEYS[key.broker_key] if key.broker_key else None
        default = key.default if behind is None else behind.kafka_default or behind.default
        check(name, key.kind, default, theirs)


def test_client_metrics_have_all_of_kafkas_keys(kafka: dict[str, dict[str, KafkaKey]]) -> None:
    """Kafka checks their bounds outside of the class, too."""
    assert CLIENT_METRICS_KEYS.keys() == kafka["client-metrics"].keys()
    for name, key in CLIENT_METRICS_KEYS.items():
        check(name, key.kind, key.default, kafka["client-metrics"][name])

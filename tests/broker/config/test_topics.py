"""A topic's settings over the broker's."""

from __future__ import annotations

from dataclasses import fields

import pytest

from broker.common.errors import ApiError
from broker.config import Config, attribute
from broker.config.entry import ConfigSource, ConfigSynonym
from broker.config.kinds import ConfigType
from broker.config.topics import (
    TOPIC_KEYS,
    TopicConfig,
    check_topic_configs,
    describe_topic,
    list_value,
    topic_value,
)
from protocol.errors import ErrorCode

HOUR_MS = 3_600_000


def refusal(**configs: str) -> str:
    with pytest.raises(ApiError) as refused:
        check_topic_configs({key.replace("_", "."): value for key, value in configs.items()})
    assert refused.value.code is ErrorCode.INVALID_CONFIG
    return str(refused.value.message)


def test_every_key_has_its_attribute() -> None:
    """The table of keys and the fields of the dataclass have the same names."""
    declared = [attribute(name) for name, key in TOPIC_KEYS.items() if key.unused is None]
    assert [field.name for field in fields(TopicConfig)] == declared


def test_an_internal_key_is_described_only_if_it_is_set() -> None:
    """As Kafka does."""
    set_one = {"internal.segment.bytes": "100"}

    assert "internal.segment.bytes" not in {each.name for each in describe_topic(Config(), {})}
    (entry,) = (each for each in describe_topic(Config(), set_one) if each.name in set_one)
    assert (entry.value, entry.config_type) == ("100", ConfigType.INT)


def test_a_topic_without_settings_has_the_brokers() -> None:
    """max.message.bytes is the broker's message.max.bytes."""
    topic = TopicConfig(Config(message_max_bytes=5000), {})

    assert topic.max_message_bytes == 5000


def test_a_setting_of_the_topic_overrides_the_brokers() -> None:
    """The topic's value applies."""
    topic = TopicConfig(Config(message_max_bytes=5000), {"max.message.bytes": "7000"})

    assert topic.max_message_bytes == 7000


def test_one_setting_can_be_resolved_alone() -> None:
    """`topic_value` returns the same value as `TopicConfig`."""
    config, overrides = Config(message_max_bytes=5000), {"max.message.bytes": "7000"}

    assert topic_value(config, overrides, "max.message.bytes") == 7000
    assert topic_value(config, {}, "max.message.bytes") == 5000


def test_hours_become_milliseconds() -> None:
    """segment.ms defaults to log.roll.hours."""
    assert TopicConfig(Config(log_roll_hours=2), {}).segment_ms == 2 * HOUR_MS


def test_the_finer_unit_takes_precedence() -> None:
    """log.retention.ms precedes minutes, and minutes precede hours."""
    minutes = Config(log_retention_minutes=3)

    assert TopicConfig(minutes, {}).retention_ms == 180_000
    assert TopicConfig(Config(log_retention_ms=7, log_retention_minutes=3), {}).retention_ms == 7


def test_no_limit_is_no_limit_in_every_unit() -> None:
    """-1 hours are not -3600000 ms."""
    assert TopicConfig(Config(log_retention_hours=-1), {}).retention_ms == -1


def test_valid_settings_are_accepted() -> None:
    """No exception is raised."""
    check_topic_configs({"cleanup.policy": "compact,delete", "retention.ms": "-1"})


@pytest.mark.parametrize(
    ("configs", "message"),
    [
        ({"foo": "1"}, "Unknown topic config name: foo"),
        (
            {"segment_bytes": "5"},
            "Invalid value 5 for configuration segment.bytes: Value must be at least 1048576",
        ),
        (
            {"cleanup_policy": "Compact"},
            (
                "Invalid value Compact for configuration cleanup.policy: "
                "String must be one of: compact, delete"
            ),
        ),
        (
            {"min_compaction_lag_ms": "5", "max_compaction_lag_ms": "2"},
            "conflict topic config setting min.compaction.lag.ms (5) > max.compaction.lag.ms (2)",
        ),
        (
            {"remote_storage_enable": "true"},
            (
                "Tiered Storage functionality is disabled in the broker. Topic cannot be "
                "configured with remote log storage."
            ),
        ),
    ],
)
def test_invalid_settings_are_refused_with_a_reason(configs: dict[str, str], message: str) -> None:
    """INVALID_CONFIG with the message of Kafka 4.3.1."""
    assert refusal(**configs) == message


@pytest.mark.parametrize(
    ("configs", "message"),
    [
        (
            {"retention.ms": "x", "transaction1": "1", "new1": "1"},
            "Unknown topic config name: new1",
        ),
        (
            {"cleanup.policy": "x", "retention.ms": "y", "segment.bytes": "z"},
            "Invalid value z for configuration segment.bytes: Not a number of type INT",
        ),
    ],
)
def test_of_several_errors_the_one_that_kafka_finds_first_is_reported(
    configs: dict[str, str], message: str
) -> None:
    """All names are checked before the values, in the order of a hash table."""
    with pytest.raises(ApiError) as refused:
        check_topic_configs(configs)

    assert refused.value.message == message


def test_a_topic_key_is_described_with_its_synonyms() -> None:
    """The synonyms are the topic's value, the broker's, and the default, in this order."""
    config = Config(log_segment_bytes=3_000_000, given={"log.segment.bytes": "3000000"})
    entries = {e.name: e for e in describe_topic(config, {"segment.bytes": "2000000"})}

    entry = entries["segment.bytes"]
    assert (entry.value, entry.source, entry.read_only) == (
        "2000000",
        ConfigSource.DYNAMIC_TOPIC,
        False,
    )
    assert [(s.name, s.value, s.source) for s in entry.synonyms] == [
        ("segment.bytes", "2000000", ConfigSource.DYNAMIC_TOPIC),
        ("log.segment.bytes", "3000000", ConfigSource.STATIC_BROKER),
        ("log.segment.bytes", "1073741824", ConfigSource.DEFAULT),
    ]


def test_a_value_of_the_broker_has_the_brokers_source() -> None:
    """A default stays a default, a broker's setting is static."""
    config = Config(log_roll_ms=5, given={"log.roll.ms": "5"})
    entries = {e.name: e for e in describe_topic(config, {})}

    assert entries["segment.ms"].value == "5"
    assert entries["segment.ms"].source is ConfigSource.STATIC_BROKER
    assert entries["segment.bytes"].source is ConfigSource.DEFAULT


def test_a_value_of_a_coarser_key_is_described_as_a_default() -> None:
    """Kafka lists only the synonyms of the first broker key, although another one applies."""
    config = Config(log_roll_hours=1, given={"log.roll.hours": "1"})
    entries = {e.name: e for e in describe_topic(config, {})}

    assert entries["segment.ms"].value == str(HOUR_MS)
    assert entries["segment.ms"].source is ConfigSource.DEFAULT
    assert entries["segment.ms"].synonyms == []


def test_a_key_without_effect_is_described_with_its_value() -> None:
    """The parsed value of the topic precedes the broker's; without both it has its default."""
    entries = {e.name: e for e in describe_topic(Config(), {"local.retention.ms": " 5 "})}

    local = entries["local.retention.ms"]
    assert (local.value, local.source) == ("5", ConfigSource.DYNAMIC_TOPIC)
    assert local.synonyms == [
        ConfigSynonym("local.retention.ms", "5", ConfigSource.DYNAMIC_TOPIC),
        ConfigSynonym("log.local.retention.ms", "-2", ConfigSource.DEFAULT),
    ]
    throttled = entries["leader.replication.throttled.replicas"]
    assert (throttled.value, throttled.source, throttled.synonyms) == ("", ConfigSource.DEFAULT, [])


def test_the_elements_of_a_list_are_those_set_or_else_the_brokers() -> None:
    """A key of another kind has none."""
    assert list_value(Config(), {}, "cleanup.policy") == ("delete",)
    assert list_value(Config(), {"cleanup.policy": "compact"}, "cleanup.policy") == ("compact",)
    assert list_value(Config(), {}, "retention.ms") is None
    assert list_value(Config(), {}, "nonsense") is None

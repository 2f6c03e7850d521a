"""A broker's settings as DescribeConfigs returns them."""

from __future__ import annotations

from broker.config import Config, parse_config
from broker.config.description import describe_all_brokers, describe_broker
from broker.config.entry import ConfigEntry, ConfigSource
from broker.config.kinds import ConfigType
from broker.config.table import KEYS


def described(config: Config) -> dict[str, ConfigEntry]:
    return {entry.name: entry for entry in describe_broker(config)}


def test_all_keys_but_the_internal_ones_are_described() -> None:
    """Kafka describes 340 keys of a broker."""
    assert len(described(Config())) == 340
    assert "log.initial.task.delay.ms" not in described(Config())


def test_a_given_key_is_described_with_the_default_under_it() -> None:
    """DescribeConfigs tells a static setting from a default."""
    entries = described(parse_config({"num.partitions": "3"}))

    entry = entries["num.partitions"]
    assert (entry.value, entry.source) == ("3", ConfigSource.STATIC_BROKER)
    assert [(s.value, s.source) for s in entry.synonyms] == [
        ("3", ConfigSource.STATIC_BROKER),
        ("1", ConfigSource.DEFAULT),
    ]
    assert entries["fetch.max.bytes"].source is ConfigSource.DEFAULT


def test_a_secret_is_not_described() -> None:
    """Neither its value nor that of its synonyms."""
    config = Config()
    config.reconfigure({"sasl.jaas.config": "secret"}, {})

    entry = described(config)["sasl.jaas.config"]

    assert (entry.value, entry.sensitive) == (None, True)
    assert [s.value for s in entry.synonyms] == [None]


def test_a_key_that_nobody_knows_is_described_as_a_secret() -> None:
    """It may be one; Kafka calls it read-only, and lets it change."""
    config = Config()
    config.reconfigure({"plugin.key": "a"}, {"plugin.key": "b"})

    entry = described(config)["plugin.key"]

    assert (entry.value, entry.sensitive, entry.read_only) == (None, True, True)
    assert entry.config_type is ConfigType.UNKNOWN
    assert [s.source for s in entry.synonyms] == [
        ConfigSource.DYNAMIC_BROKER,
        ConfigSource.DYNAMIC_DEFAULT_BROKER,
    ]


def test_a_key_for_one_listener_has_the_type_of_the_key() -> None:
    """And its default as a synonym."""
    config = Config()
    config.reconfigure({"listener.name.a.max.connections": "5"}, {})

    entry = described(config)["listener.name.a.max.connections"]

    assert (entry.value, entry.config_type) == ("5", KEYS["max.connections"].kind.config_type)
    assert [s.name for s in entry.synonyms] == [entry.name, "max.connections"]


def test_what_is_set_on_all_nodes_is_described_alone() -> None:
    """And the value of a key that nobody knows is not returned."""
    config = Config()
    config.reconfigure({}, {"message.max.bytes": "2000", "plugin.key": "secret"})

    found = {entry.name: entry.value for entry in describe_all_brokers(config)}

    assert found == {"message.max.bytes": "2000", "plugin.key": None}

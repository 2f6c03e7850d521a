"""A broker's settings as DescribeConfigs returns them."""

from __future__ import annotations

from broker.config import Config, parse_config
from broker.config.description import describe_all_brokers, describe_broker
from broker.config.entry import ConfigEntry, ConfigSource
from broker.config.kinds import ConfigType
from broker.config.table import KEYS

_THROTTLED_RATE = "leader.replication.throttled.rate"


def described(config: Config) -> dict[str, ConfigEntry]:
    return {entry.name: entry for entry in describe_broker(config)}


def test_all_keys_except_internal_ones_are_described() -> None:
    """Kafka describes 340 keys of a broker."""
    assert len(described(Config())) == 340
    assert "log.initial.task.delay.ms" not in described(Config())


def test_a_static_key_is_described_with_its_default() -> None:
    """The synonyms are the static value and the default."""
    entries = described(parse_config({"num.partitions": "3"}))

    entry = entries["num.partitions"]
    assert (entry.value, entry.source) == ("3", ConfigSource.STATIC_BROKER)
    assert [(s.value, s.source) for s in entry.synonyms] == [
        ("3", ConfigSource.STATIC_BROKER),
        ("1", ConfigSource.DEFAULT),
    ]
    assert entries["fetch.max.bytes"].source is ConfigSource.DEFAULT


def test_a_key_of_a_plugin_is_described_as_an_unknown_key_if_it_is_set() -> None:
    """The broker's definition of keys does not have those of the authorizer."""
    entry = described(parse_config({"super.users": "User:a"}))["super.users"]

    assert (entry.value, entry.sensitive, entry.read_only) == (None, True, True)
    assert (entry.config_type, entry.source) == (ConfigType.UNKNOWN, ConfigSource.STATIC_BROKER)
    assert [(s.name, s.value) for s in entry.synonyms] == [("super.users", None)]
    assert "super.users" not in described(Config())


def test_the_value_of_a_secret_is_not_returned() -> None:
    """Its synonyms have no value either."""
    config = Config()
    config.reconfigure({"sasl.jaas.config": "secret"}, {})

    entry = described(config)["sasl.jaas.config"]

    assert (entry.value, entry.sensitive) == (None, True)
    assert [s.value for s in entry.synonyms] == [None]


def test_an_unknown_key_is_described_as_a_secret() -> None:
    """The key may be a secret; Kafka describes it as read-only although it can change."""
    config = Config()
    config.reconfigure({"plugin.key": "a"}, {"plugin.key": "b"})

    entry = described(config)["plugin.key"]

    assert (entry.value, entry.sensitive, entry.read_only) == (None, True, True)
    assert entry.config_type is ConfigType.UNKNOWN
    assert [s.source for s in entry.synonyms] == [
        ConfigSource.DYNAMIC_BROKER,
        ConfigSource.DYNAMIC_DEFAULT_BROKER,
    ]


def test_the_rate_of_throttled_replication_is_described_if_it_is_set() -> None:
    """Tools that move partitions set it, and show its value."""
    config = Config()
    config.reconfigure({_THROTTLED_RATE: "10"}, {_THROTTLED_RATE: "20"})

    entry = described(config)[_THROTTLED_RATE]

    assert (entry.value, entry.sensitive, entry.read_only) == ("10", False, False)
    assert entry.config_type is ConfigType.LONG
    assert [(s.value, s.source) for s in entry.synonyms] == [
        ("10", ConfigSource.DYNAMIC_BROKER),
        ("20", ConfigSource.DYNAMIC_DEFAULT_BROKER),
    ]
    assert _THROTTLED_RATE not in described(Config())


def test_a_key_of_one_listener_has_the_type_of_the_key() -> None:
    """The default of the key is a synonym."""
    config = Config()
    config.reconfigure({"listener.name.a.max.connections": "5"}, {})

    entry = described(config)["listener.name.a.max.connections"]

    assert (entry.value, entry.config_type) == ("5", KEYS["max.connections"].kind.config_type)
    assert [s.name for s in entry.synonyms] == [entry.name, "max.connections"]


def test_a_given_key_of_one_listener_is_described() -> None:
    """It is a static setting of the broker."""
    entry = described(parse_config({"listener.name.a.max.connections": "5"}))[
        "listener.name.a.max.connections"
    ]

    assert (entry.value, entry.source) == ("5", ConfigSource.STATIC_BROKER)


def test_settings_of_all_nodes_are_described_alone() -> None:
    """The value of an unknown key is not returned."""
    config = Config()
    config.reconfigure({}, {"message.max.bytes": "2000", "plugin.key": "secret"})

    found = {entry.name: entry.value for entry in describe_all_brokers(config)}

    assert found == {"message.max.bytes": "2000", "plugin.key": None}

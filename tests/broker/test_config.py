"""Settings over defaults, and what is said of settings that cannot be."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from broker import config as config_module
from broker.config import DEFAULTS, Config, ConfigError, Setting, attribute, parse_config
from broker.config_entry import ConfigSource
from broker.config_keys import KEYS
from broker.config_kinds import written

# Fields that hold what was set, and are no settings themselves.
LEVELS = ("given", "own", "shared")


def parsed(*assignments: str) -> Config:
    """The config that these KEY=VALUE make, in this order."""
    pairs = (text.partition("=") for text in assignments)
    return Config.from_settings(Setting(key, value, "-c") for key, _, value in pairs)


def refusal(*assignments: str) -> str:
    with pytest.raises(ConfigError) as refused:
        parsed(*assignments)
    return str(refused.value)


def test_every_key_has_its_attribute() -> None:
    """The table of keys and the fields of the dataclass are the same list."""
    attributes = [field.name for field in fields(Config) if field.name not in LEVELS]

    assert attributes == [attribute(key) for key in KEYS]


def test_every_attribute_names_its_key() -> None:
    """The comment beside a field is Kafka's key for it."""
    source = Path(config_module.__file__).read_text()
    for match in re.finditer(r"^    (\w+): [^#]*?# ([a-z0-9.]+)$", source, re.MULTILINE):
        assert match[1] == attribute(match[2])


@pytest.mark.parametrize("key", KEYS)
def test_every_default_is_a_legal_value(key: str) -> None:
    """A default, written down, is read back as itself."""
    text = written(DEFAULTS[key])

    assert text is None or KEYS[key].kind.parse(text) == DEFAULTS[key]


def test_a_setting_replaces_its_default() -> None:
    """What is given counts; what is not stays."""
    config = parsed("fetch.max.bytes=2048")

    assert config.fetch_max_bytes == 2048
    assert config.message_max_bytes == Config().message_max_bytes


def test_a_mapping_is_parsed_too() -> None:
    """Whoever has keys and values already needs no settings."""
    assert parse_config({"fetch.max.bytes": "2048"}) == parsed("fetch.max.bytes=2048")


def test_the_last_of_two_settings_counts() -> None:
    """Later settings win, so the command line may come after a file."""
    assert parsed("num.partitions=2", "num.partitions=3").num_partitions == 3


def test_an_earlier_mistake_that_is_replaced_does_no_harm() -> None:
    """Only the setting that counts is looked at."""
    assert parsed("num.partitions=none", "num.partitions=3").num_partitions == 3


def test_an_unknown_key_is_refused_by_name_with_a_suggestion() -> None:
    """A misspelled key must not be ignored."""
    assert refusal("fetch.max.byte=1") == (
        "-c: unknown key 'fetch.max.byte'; did you mean fetch.max.bytes?"
    )


def test_a_key_of_kafka_without_meaning_here_is_told_what_to_say_instead() -> None:
    """Keys of a real server.properties lead to our option for it."""
    assert refusal("log.dirs=/data") == ("-c: log.dirs is not a key of this broker: say --data-dir")


def test_a_bad_value_is_refused_with_key_value_and_range() -> None:
    """One line that says all a user needs."""
    assert refusal("fetch.max.bytes=12") == (
        "-c: fetch.max.bytes='12' is not a whole number from 1024 to 2147483647"
    )


def test_contradicting_values_are_refused() -> None:
    """A shortest session that is longer than the longest cannot be."""
    assert refusal("group.min.session.timeout.ms=9000000") == (
        "-c: group.min.session.timeout.ms=9000000 is more than group.max.session.timeout.ms=1800000"
    )


def test_a_refusal_is_one_line_whatever_was_given() -> None:
    """Line breaks in a value do not break the message."""
    assert "\n" not in refusal("num.partitions=1\n2")


def test_a_given_key_is_described_with_the_default_under_it() -> None:
    """DescribeConfigs tells a static setting from a default."""
    entries = {entry.name: entry for entry in parsed("num.partitions=3").describe()}

    entry = entries["num.partitions"]
    assert (entry.value, entry.source) == ("3", ConfigSource.STATIC_BROKER)
    assert [(s.value, s.source) for s in entry.synonyms] == [
        ("3", ConfigSource.STATIC_BROKER),
        ("1", ConfigSource.DEFAULT),
    ]
    assert entries["fetch.max.bytes"].source is ConfigSource.DEFAULT


def test_configs_with_the_same_values_are_equal() -> None:
    """A config is a value."""
    assert parsed("num.partitions=3") == parsed("num.partitions=3")


def test_what_is_set_while_the_broker_runs_counts_most() -> None:
    """A node's own value before that of all, before what was given at the start."""
    config = parsed("message.max.bytes=1000")

    config.reconfigure({}, {"message.max.bytes": "2000"})
    shared = config.message_max_bytes
    config.reconfigure({"message.max.bytes": "3000"}, {"message.max.bytes": "2000"})
    own = config.message_max_bytes
    sources = [synonym.source for synonym in config.synonyms("message.max.bytes")]
    config.reconfigure({}, {})

    assert (shared, own, config.message_max_bytes) == (2000, 3000, 1000)
    assert sources == [
        ConfigSource.DYNAMIC_BROKER,
        ConfigSource.DYNAMIC_DEFAULT_BROKER,
        ConfigSource.STATIC_BROKER,
        ConfigSource.DEFAULT,
    ]


def test_what_is_set_on_all_nodes_is_described_alone() -> None:
    """And the value of a key that nobody knows is not told."""
    config = Config()
    config.reconfigure({}, {"message.max.bytes": "2000", "plugin.key": "secret"})

    described = {entry.name: entry.value for entry in config.describe_shared()}

    assert described == {"message.max.bytes": "2000", "plugin.key": None}


def test_memory_for_requests_must_do_for_one() -> None:
    """Without a limit, which is 0 or less, there is nothing to compare."""
    largest = {"socket.request.max.bytes": "1000"}

    assert parse_config({**largest, "queued.max.request.bytes": "0"}).queued_max_request_bytes == 0
    with pytest.raises(ConfigError) as refusal:
        parse_config({**largest, "queued.max.request.bytes": "999"})

    assert str(refusal.value) == (
        "-c: socket.request.max.bytes=1000 is more than queued.max.request.bytes=999"
    )

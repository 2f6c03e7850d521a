"""Settings over defaults, and what is said of settings that cannot be."""

from __future__ import annotations

from types import MemberDescriptorType

import pytest

from broker.config import Config, ConfigError, Setting, attribute, parse_config
from broker.config.entry import ConfigSource
from broker.config.table import KEYS


def parsed(*assignments: str) -> Config:
    """The config that these KEY=VALUE make, in this order."""
    pairs = (text.partition("=") for text in assignments)
    return Config.from_settings(Setting(key, value, "-c") for key, _, value in pairs)


def refusal(*assignments: str) -> str:
    with pytest.raises(ConfigError) as refused:
        parsed(*assignments)
    return str(refused.value)


def test_every_key_that_has_an_effect_has_its_attribute() -> None:
    """The attribute is named after the key; other keys have a value by name only."""
    config = Config()
    for name, key in KEYS.items():
        assert hasattr(config, attribute(name)) == (key.idle is None)
        assert config.value(name) == key.default


def test_values_are_read_from_slots() -> None:
    """Handlers read them with every request, and a slot costs less than a dict."""
    config = parsed("fetch.max.bytes=2048")
    config.reconfigure({"message.max.bytes": "5"}, {})

    used = {attribute(name) for name, key in KEYS.items() if key.idle is None}
    assert all(isinstance(getattr(Config, name), MemberDescriptorType) for name in used)
    assert not vars(config)


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
    assert refusal("log.dirs=/data") == "-c: log.dirs cannot be set here: say --data-dir"
    assert refusal("ssl.keystore.location=/k") == (
        "-c: ssl.keystore.location cannot be set here: TLS is not served"
    )
    assert refusal("port=9092") == "-c: port is not a key of this broker: say --port"


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


def test_a_key_without_effect_has_the_value_it_is_given() -> None:
    """By its name, the dynamic value first."""
    config = parsed("num.io.threads=4")

    given = config.value("num.io.threads")
    config.reconfigure({"num.io.threads": "5"}, {})

    assert (given, config.value("num.io.threads")) == (4, 5)


def test_synonyms_of_a_key_end_with_those_of_coarser_keys() -> None:
    """As in Kafka, but only after a value of the key's own; without one there are none."""
    config = parsed("log.retention.hours=5")

    none = config.synonyms("log.retention.ms")
    config.reconfigure({"log.retention.ms": "100"}, {})
    found = [(s.name, s.value) for s in config.synonyms("log.retention.ms")]

    assert none == []
    assert found == [
        ("log.retention.ms", "100"),
        ("log.retention.hours", "5"),
        ("log.retention.hours", "168"),
    ]


def test_memory_for_requests_must_do_for_one() -> None:
    """Without a limit, which is 0 or less, there is nothing to compare."""
    largest = {"socket.request.max.bytes": "1000"}

    assert parse_config({**largest, "queued.max.request.bytes": "0"}).queued_max_request_bytes == 0
    with pytest.raises(ConfigError) as refusal:
        parse_config({**largest, "queued.max.request.bytes": "999"})

    assert str(refusal.value) == (
        "-c: socket.request.max.bytes=1000 is more than queued.max.request.bytes=999"
    )

"""Settings override defaults, and invalid settings are refused with a message."""

from __future__ import annotations

from types import MemberDescriptorType

import pytest

from broker.config import Config, ConfigError, Setting, attribute, parse_config
from broker.config.entry import ConfigSource
from broker.config.table import KEYS


def parsed(*assignments: str) -> Config:
    """The configuration of these KEY=VALUE settings, in this order."""
    pairs = (text.partition("=") for text in assignments)
    return Config.from_settings(Setting(key, value, "-c") for key, _, value in pairs)


def refusal(*assignments: str) -> str:
    with pytest.raises(ConfigError) as refused:
        parsed(*assignments)
    return str(refused.value)


def test_every_key_with_an_effect_has_an_attribute() -> None:
    """The attribute is named after the key; other keys have a value by name only."""
    config = Config()
    for name, key in KEYS.items():
        assert hasattr(config, attribute(name)) == (key.unused is None)
        assert config.value(name) == key.default


def test_values_are_read_from_slots() -> None:
    """Handlers read values with every request, and a slot is faster than a dict."""
    config = parsed("fetch.max.bytes=2048")
    config.reconfigure({"message.max.bytes": "5"}, {})

    used = {attribute(name) for name, key in KEYS.items() if key.unused is None}
    assert all(isinstance(getattr(Config, name), MemberDescriptorType) for name in used)
    assert not vars(config)


def test_a_setting_replaces_its_default() -> None:
    """A given value applies; the other keys keep their defaults."""
    config = parsed("fetch.max.bytes=2048")

    assert config.fetch_max_bytes == 2048
    assert config.message_max_bytes == Config().message_max_bytes


def test_a_mapping_is_parsed_like_settings() -> None:
    """Keys and values of a mapping give the same configuration as settings."""
    assert parse_config({"fetch.max.bytes": "2048"}) == parsed("fetch.max.bytes=2048")


def test_the_last_setting_of_a_key_applies() -> None:
    """The command line, which comes after a file, overrides it."""
    assert parsed("num.partitions=2", "num.partitions=3").num_partitions == 3


def test_an_invalid_value_that_is_overridden_is_ignored() -> None:
    """Only the last setting of a key is validated."""
    assert parsed("num.partitions=none", "num.partitions=3").num_partitions == 3


def test_an_unknown_key_is_refused_by_name_with_a_suggestion() -> None:
    """A misspelled key is an error."""
    assert refusal("fetch.max.byte=1") == (
        "-c: unknown key 'fetch.max.byte'; did you mean fetch.max.bytes?"
    )


def test_a_key_of_kafka_that_cannot_be_set_is_refused_with_advice() -> None:
    """The message names what is not supported, or the option to use instead."""
    assert refusal("cordoned.log.dirs=a") == (
        "-c: cordoned.log.dirs cannot be set here: directories cannot be cordoned"
    )
    assert refusal("remote.log.storage.system.enable=true").startswith(
        "-c: remote.log.storage.system.enable cannot be set here: "
    )
    assert refusal("port=9092") == "-c: port is not a key of this broker: use listeners, or --port"


def test_an_invalid_value_is_refused_with_key_value_and_range() -> None:
    """The message is one line."""
    assert refusal("fetch.max.bytes=12") == (
        "-c: fetch.max.bytes='12' is not a whole number from 1024 to 2147483647"
    )


def test_contradicting_values_are_refused() -> None:
    """The shortest session timeout must not be longer than the longest."""
    assert refusal("group.min.session.timeout.ms=9000000") == (
        "-c: group.min.session.timeout.ms=9000000 is more than group.max.session.timeout.ms=1800000"
    )


@pytest.mark.parametrize("kind", ["consumer", "share", "streams"])
def test_a_heartbeat_interval_is_shorter_than_the_session_timeout(kind: str) -> None:
    """Of all groups of a protocol."""
    interval, timeout = f"group.{kind}.heartbeat.interval.ms", f"group.{kind}.session.timeout.ms"
    bound = f"group.{kind}.max.heartbeat.interval.ms=50000"

    assert refusal(bound, f"{interval}=45000") == (
        f"-c: {interval}=45000 is not less than {timeout}=45000"
    )


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("session.timeout.ms=44999", "min.session.timeout.ms=45000 is more than "),
        ("session.timeout.ms=60001", "session.timeout.ms=60001 is more than "),
        ("heartbeat.interval.ms=4999", "min.heartbeat.interval.ms=5000 is more than "),
        ("heartbeat.interval.ms=15001", "heartbeat.interval.ms=15001 is more than "),
        ("min.assignment.interval.ms=1001", "min.assignment.interval.ms=1001 is more than "),
        ("assignment.interval.ms=15001", "assignment.interval.ms=15001 is more than "),
        ("num.standby.replicas=3", "num.standby.replicas=3 is more than "),
    ],
)
def test_the_values_for_streams_groups_are_within_their_bounds(setting: str, message: str) -> None:
    """As those of other groups."""
    assert refusal(f"group.streams.{setting}").startswith(f"-c: group.streams.{message}")


def test_an_error_message_is_one_line() -> None:
    """Line breaks in a value are escaped in the message."""
    assert "\n" not in refusal("num.partitions=1\n2")


def test_configs_with_the_same_values_are_equal() -> None:
    """Configurations are compared by value."""
    assert parsed("num.partitions=3") == parsed("num.partitions=3")


def test_dynamic_values_override_static_ones() -> None:
    """A node's own dynamic value applies first, then that of all nodes, then the static one."""
    config = parsed("message.max.bytes=1000")

    config.reconfigure({}, {"message.max.bytes": "2000"})
    dynamic_default = config.message_max_bytes
    config.reconfigure({"message.max.bytes": "3000"}, {"message.max.bytes": "2000"})
    dynamic_broker = config.message_max_bytes
    sources = [synonym.source for synonym in config.synonyms("message.max.bytes")]
    config.reconfigure({}, {})

    assert (dynamic_default, dynamic_broker, config.message_max_bytes) == (2000, 3000, 1000)
    assert sources == [
        ConfigSource.DYNAMIC_BROKER,
        ConfigSource.DYNAMIC_DEFAULT_BROKER,
        ConfigSource.STATIC_BROKER,
        ConfigSource.DEFAULT,
    ]


def test_a_key_without_effect_has_the_value_that_was_set() -> None:
    """`Config.value` returns the dynamic value first."""
    config = parsed("num.io.threads=4")

    given = config.value("num.io.threads")
    config.reconfigure({"num.io.threads": "5"}, {})

    assert (given, config.value("num.io.threads")) == (4, 5)


def test_synonyms_of_a_key_end_with_those_of_coarser_keys() -> None:
    """Keys with coarser units follow a value of the key itself, as in Kafka.

    Without one there are none.
    """
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


@pytest.mark.parametrize(
    ("idle_ms", "delay_ms", "accepted"),
    [("100", None, False), ("101", None, True), ("-1", None, True), ("100", "99", True)],
)
def test_a_failed_login_has_its_response_before_the_connection_is_idle(
    idle_ms: str, delay_ms: str | None, accepted: bool
) -> None:
    """The delay of 100 ms must be shorter, unless connections are never idle."""
    given = {"connections.max.idle.ms": idle_ms}
    if delay_ms is not None:
        given["connection.failed.authentication.delay.ms"] = delay_ms
    if accepted:
        assert parse_config(given).connections_max_idle_ms == int(idle_ms)
        return
    with pytest.raises(ConfigError) as refusal:
        parse_config(given)
    assert str(refusal.value) == (
        "-c: connection.failed.authentication.delay.ms=100 is not less than "
        "connections.max.idle.ms=100"
    )


def test_the_memory_for_requests_is_at_least_the_largest_request() -> None:
    """0 or less is no limit."""
    largest = {"socket.request.max.bytes": "1000"}

    assert parse_config({**largest, "queued.max.request.bytes": "0"}).queued_max_request_bytes == 0
    with pytest.raises(ConfigError) as refusal:
        parse_config({**largest, "queued.max.request.bytes": "999"})

    assert str(refusal.value) == (
        "-c: socket.request.max.bytes=1000 is more than queued.max.request.bytes=999"
    )


def test_a_listeners_value_precedes_the_plain_one() -> None:
    """The listener's name is in lower case in the key."""
    config = parsed("listener.name.internal.max.connections=5", "max.connections=7")

    assert config.for_listener("INTERNAL", "max.connections") == 5
    assert config.for_listener("EXTERNAL", "max.connections") == 7
    assert config.max_connections == 7


def test_a_mechanisms_value_precedes_the_listeners() -> None:
    """The listener's value applies to its other mechanisms."""
    config = Config()
    config.reconfigure(
        {
            "listener.name.a.plain.connections.max.reauth.ms": "2500",
            "listener.name.a.connections.max.reauth.ms": "777777",
        },
        {},
    )

    assert config.for_listener("A", "connections.max.reauth.ms", "PLAIN") == 2500
    assert config.for_listener("A", "connections.max.reauth.ms", "SCRAM-SHA-256") == 777_777
    assert config.for_listener("B", "connections.max.reauth.ms", "PLAIN") == 0


def test_a_listeners_value_changes_while_the_broker_runs() -> None:
    """A dynamic value precedes a given one."""
    config = parsed("listener.name.a.max.connections=5")
    config.reconfigure({"listener.name.a.max.connections": "6"}, {})

    assert config.for_listener("A", "max.connections") == 6


@pytest.mark.parametrize(
    ("assignment", "reason"),
    [
        ("listener.name.a.max.connections=x", "is not a whole number"),
        ("listener.name.a.log.dirs=/x", "log.dirs cannot be set"),
        ("listener.name.a.message.max.bytes=5", "message.max.bytes cannot be set for one listener"),
        ("listener.name.a.max.conections=5", "did you mean listener.name.a.max.connections?"),
    ],
)
def test_an_invalid_key_of_a_listener_is_refused(assignment: str, reason: str) -> None:
    """The message names the key and the reason."""
    assert reason in refusal(assignment)


def test_synonyms_are_texts_as_they_were_given() -> None:
    """The value itself is a number without its sign (``ConfigHelper``)."""
    config = parse_config({"log.segment.bytes": "+2000000"})

    assert config.log_segment_bytes == 2_000_000
    assert config.synonyms("log.segment.bytes")[0].value == "+2000000"

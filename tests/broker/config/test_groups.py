"""The settings of one group (mirrors ``GroupConfigTest``)."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config import Config, parse_config
from broker.config.entry import ConfigSource, ConfigSynonym
from broker.config.groups import GroupConfigs, check_group_configs, describe_group
from protocol.errors import ErrorCode

SESSION = "consumer.session.timeout.ms"
HEARTBEAT = "consumer.heartbeat.interval.ms"
INTERVAL = "consumer.assignment.interval.ms"


def test_a_key_that_is_not_set_has_the_brokers_value() -> None:
    """``group.consumer.*`` applies to groups without settings."""
    configs = GroupConfigs(
        parse_config(
            {
                "group.consumer.session.timeout.ms": "50000",
                "group.consumer.heartbeat.interval.ms": "7000",
            }
        )
    )

    assert configs.session_timeout_ms("g") == 50_000
    assert configs.heartbeat_interval_ms("g") == 7000


def test_a_setting_applies_to_one_group() -> None:
    """Other groups keep the broker's value."""
    configs = GroupConfigs(Config())
    configs.replace("g", {SESSION: "46000", INTERVAL: "2000"})

    assert (configs.session_timeout_ms("g"), configs.session_timeout_ms("h")) == (46_000, 45_000)
    assert configs.assignment_interval_ms("g") == 2000


def test_new_settings_replace_all_earlier_ones() -> None:
    """A key that is left out has the broker's value again."""
    configs = GroupConfigs(Config())
    configs.replace("g", {SESSION: "46000"})
    configs.replace("g", {HEARTBEAT: "6000"})

    assert configs.session_timeout_ms("g") == 45_000
    assert configs.heartbeat_interval_ms("g") == 6000


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"nonsense": "1"}, "Unknown group config name: nonsense"),
        (
            {SESSION: "soon"},
            f"Invalid value soon for configuration {SESSION}: Not a number of type INT",
        ),
        (
            {HEARTBEAT: "0"},
            f"Invalid value 0 for configuration {HEARTBEAT}: Value must be at least 1",
        ),
        (
            {SESSION: "44999"},
            f"{SESSION} must be greater than or equal to group.consumer.min.session.timeout.ms",
        ),
        (
            {SESSION: "60001"},
            f"{SESSION} must be less than or equal to group.consumer.max.session.timeout.ms",
        ),
        (
            {SESSION: "50000", HEARTBEAT: "15001"},
            f"{HEARTBEAT} must be less than or equal to group.consumer.max.heartbeat.interval.ms",
        ),
        (
            {"streams.session.timeout.ms": "0"},
            (
                "Invalid value 0 for configuration streams.session.timeout.ms: "
                "Value must be at least 1"
            ),
        ),
        (
            {"streams.session.timeout.ms": "44999"},
            (
                "streams.session.timeout.ms must be greater than or equal to "
                "group.streams.min.session.timeout.ms"
            ),
        ),
        (
            {"streams.session.timeout.ms": "60001"},
            (
                "streams.session.timeout.ms must be less than or equal to "
                "group.streams.max.session.timeout.ms"
            ),
        ),
        (
            {"streams.num.standby.replicas": "3"},
            (
                "streams.num.standby.replicas must be less than or equal to "
                "group.streams.max.standby.replicas"
            ),
        ),
        (
            {"streams.assignor.offload.enable": "true"},
            "Unknown group config name: streams.assignor.offload.enable",
        ),
    ],
)
def test_invalid_settings_are_refused(settings: dict[str, str], message: str) -> None:
    """Values must be within the broker's bounds; the messages are Kafka's."""
    with pytest.raises(ApiError) as refused:
        check_group_configs(Config(), settings)

    assert (refused.value.code, refused.value.message) == (ErrorCode.INVALID_CONFIG, message)


def test_a_session_timeout_is_longer_than_the_heartbeat_interval() -> None:
    """The broker's value applies for the one that is not set."""
    config = parse_config(
        {
            "group.consumer.min.heartbeat.interval.ms": "1000",
            "group.consumer.max.heartbeat.interval.ms": "50000",
        }
    )
    with pytest.raises(ApiError, match="must be greater than"):
        check_group_configs(config, {HEARTBEAT: "45000"})

    check_group_configs(config, {HEARTBEAT: "45000", SESSION: "45001"})


def test_a_streams_session_timeout_is_longer_than_the_brokers_heartbeat_interval() -> None:
    """The message names the keys of the group."""
    config = parse_config(
        {
            "group.streams.min.session.timeout.ms": "1000",
            "group.streams.max.heartbeat.interval.ms": "15000",
        }
    )
    with pytest.raises(ApiError) as refused:
        check_group_configs(config, {"streams.session.timeout.ms": "5000"})

    assert refused.value.message == (
        "streams.session.timeout.ms must be greater than streams.heartbeat.interval.ms"
    )


def test_a_set_key_is_described_with_the_brokers_key() -> None:
    """The broker's key is a synonym, as in Kafka."""
    config = parse_config({"group.consumer.session.timeout.ms": "50000"})

    described = {each.name: each for each in describe_group(config, {SESSION: "46000"})}

    assert len(described) == 17
    session, heartbeat = described[SESSION], described[HEARTBEAT]
    assert (session.value, session.source) == ("46000", ConfigSource.DYNAMIC_GROUP)
    assert session.synonyms == [
        ConfigSynonym(SESSION, "46000", ConfigSource.DYNAMIC_GROUP),
        ConfigSynonym(f"group.{SESSION}", "50000", ConfigSource.STATIC_BROKER),
        ConfigSynonym(f"group.{SESSION}", "45000", ConfigSource.DEFAULT),
    ]
    assert (heartbeat.value, heartbeat.source) == ("5000", ConfigSource.DEFAULT)

"""What can be set for one group (mirrors ``GroupConfigTest``)."""

from __future__ import annotations

import pytest

from broker.config import Config, parse_config
from broker.errors import ApiError
from broker.groups.consumer.group_configs import GroupConfigs
from protocol.errors import ErrorCode

SESSION = "consumer.session.timeout.ms"
HEARTBEAT = "consumer.heartbeat.interval.ms"
INTERVAL = "consumer.assignment.interval.ms"


def refusal(settings: dict[str, str]) -> str | None:
    """Why settings are refused."""
    with pytest.raises(ApiError) as refused:
        GroupConfigs(Config()).replace("g", settings)
    assert refused.value.code is ErrorCode.INVALID_CONFIG
    return refused.value.message


def test_what_is_not_set_is_the_broker_s() -> None:
    """``group.consumer.*`` without a group's own."""
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
    assert configs.of("g") == {}


def test_what_is_set_goes_for_one_group() -> None:
    """Others keep the broker's."""
    configs = GroupConfigs(Config())
    configs.replace("g", {SESSION: "46000", INTERVAL: "2000"})

    assert (configs.session_timeout_ms("g"), configs.session_timeout_ms("h")) == (46_000, 45_000)
    assert configs.assignment_interval_ms("g") == 2000
    assert configs.of("g") == {SESSION: 46_000, INTERVAL: 2000}


def test_what_is_set_next_replaces_all_of_it() -> None:
    """What is left out is the broker's again."""
    configs = GroupConfigs(Config())
    configs.replace("g", {SESSION: "46000"})
    configs.replace("g", {HEARTBEAT: "6000"})

    assert configs.of("g") == {HEARTBEAT: 6000}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"nonsense": "1"}, "Unknown group config name: nonsense"),
        ({SESSION: "soon"}, f"Invalid value soon for configuration {SESSION}: "),
        (
            {SESSION: "44999"},
            f"{SESSION} must be greater than or equal to group.consumer.min.session.timeout.ms",
        ),
        (
            {SESSION: "60001"},
            f"{SESSION} must be less than or equal to group.consumer.max.session.timeout.ms",
        ),
        (
            {HEARTBEAT: "15001"},
            f"{HEARTBEAT} must be less than or equal to group.consumer.max.heartbeat.interval.ms",
        ),
    ],
)
def test_what_cannot_be_set(settings: dict[str, str], message: str) -> None:
    """Within the broker's bounds."""
    assert str(refusal(settings)).startswith(message)


def test_a_session_is_longer_than_the_time_between_heartbeats() -> None:
    """The broker's own values count where only one of both is set."""
    config = parse_config(
        {
            "group.consumer.min.heartbeat.interval.ms": "1000",
            "group.consumer.max.heartbeat.interval.ms": "50000",
        }
    )
    configs = GroupConfigs(config)
    with pytest.raises(ApiError, match="must be greater than"):
        configs.replace("g", {HEARTBEAT: "45000"})

    configs.replace("g", {HEARTBEAT: "45000", SESSION: "45001"})
    assert configs.heartbeat_interval_ms("g") == 45_000


def test_what_is_refused_changes_nothing() -> None:
    """Not even those settings that were in order."""
    configs = GroupConfigs(Config())
    configs.replace("g", {SESSION: "46000"})
    with pytest.raises(ApiError):
        configs.replace("g", {SESSION: "47000", "nonsense": "1"})

    assert configs.of("g") == {SESSION: 46_000}

"""What can be set for one group of the consumer protocol, within the broker's bounds (KIP-848).

Kafka's dynamic configs of the resource type GROUP: what is set there goes over the broker's key of
the same name with ``group.`` before it. A group need not be there to have settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from broker.config import Config
from broker.config_entry import ConfigEntry, ConfigSource, ConfigSynonym
from broker.config_keys import KEYS
from broker.config_kinds import Unfit, written
from broker.config_refusals import invalid_value
from broker.errors import ApiError
from protocol.errors import ErrorCode

SESSION_TIMEOUT = "consumer.session.timeout.ms"
HEARTBEAT_INTERVAL = "consumer.heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "consumer.assignment.interval.ms"
GROUP_KEYS = (ASSIGNMENT_INTERVAL, HEARTBEAT_INTERVAL, SESSION_TIMEOUT)

_NOTHING: Mapping[str, int] = MappingProxyType({})


class GroupConfigs:
    """The settings of groups, by name of the group; what is not set is the broker's."""

    def __init__(self, config: Config) -> None:
        self._defaults = _of_broker(config)
        self._set: dict[str, dict[str, int]] = {}

    def session_timeout_ms(self, group_id: str) -> int:
        """How long a member may be silent."""
        return self._value(group_id, SESSION_TIMEOUT)

    def heartbeat_interval_ms(self, group_id: str) -> int:
        """How often members are to send heartbeats."""
        return self._value(group_id, HEARTBEAT_INTERVAL)

    def assignment_interval_ms(self, group_id: str) -> int:
        """How long a group is left alone after it has been assigned."""
        return self._value(group_id, ASSIGNMENT_INTERVAL)

    def replace(self, group_id: str, settings: Mapping[str, str]) -> None:
        """Set just this for a group, as `check_group_configs` has let it pass."""
        self._set[group_id] = {name: int(text) for name, text in settings.items()}

    def _value(self, group_id: str, name: str) -> int:
        return self._set.get(group_id, _NOTHING).get(name, self._defaults[name])


def check_group_configs(config: Config, settings: Mapping[str, str]) -> None:
    """Raise `ApiError` INVALID_CONFIG unless a group may have these settings."""
    values = {name: _checked(config, name, text) for name, text in settings.items()}
    wanted = _of_broker(config) | values
    if wanted[SESSION_TIMEOUT] <= wanted[HEARTBEAT_INTERVAL]:
        raise _invalid(f"{SESSION_TIMEOUT} must be greater than {HEARTBEAT_INTERVAL}")


def describe_group(config: Config, settings: Mapping[str, str]) -> list[ConfigEntry]:
    """All keys of a group, for DescribeConfigs."""
    return [_describe(config, name, settings.get(name)) for name in GROUP_KEYS]


def bounds(name: str) -> tuple[str, str]:
    """The broker's keys that hold the least and the most a group's key may be."""
    low, high = (name.replace("consumer.", f"group.consumer.{end}.") for end in ("min", "max"))
    return low, high


def _checked(config: Config, name: str, text: str) -> int:
    if name not in GROUP_KEYS:
        raise _invalid(f"Unknown group config name: {name}")
    kind = KEYS[f"group.{name}"].kind
    try:
        value = kind.parse(text)
    except Unfit:
        raise _invalid(invalid_value(name, kind, text)) from None
    assert isinstance(value, int)
    (low, high), (lowest, highest) = bounds(name), _bounds_of_broker(config)[name]
    if value < lowest:
        raise _invalid(f"{name} must be greater than or equal to {low}")
    if value > highest:
        raise _invalid(f"{name} must be less than or equal to {high}")
    return value


def _describe(config: Config, name: str, text: str | None) -> ConfigEntry:
    behind = f"group.{name}"
    key = KEYS[behind]
    synonyms = config.synonyms(behind)
    if text is not None:
        synonyms.insert(0, ConfigSynonym(name, text, ConfigSource.DYNAMIC_GROUP))
    return ConfigEntry(
        name=name,
        value=written(config.value(behind)) if text is None else text,
        source=config.source(behind) if text is None else ConfigSource.DYNAMIC_GROUP,
        config_type=key.kind.config_type,
        synonyms=synonyms,
        documentation=key.documentation,
        read_only=False,
    )


def _of_broker(config: Config) -> dict[str, int]:
    return {
        SESSION_TIMEOUT: config.group_consumer_session_timeout_ms,
        HEARTBEAT_INTERVAL: config.group_consumer_heartbeat_interval_ms,
        ASSIGNMENT_INTERVAL: config.group_consumer_assignment_interval_ms,
    }


def _bounds_of_broker(config: Config) -> dict[str, tuple[int, int]]:
    return {
        SESSION_TIMEOUT: (
            config.group_consumer_min_session_timeout_ms,
            config.group_consumer_max_session_timeout_ms,
        ),
        HEARTBEAT_INTERVAL: (
            config.group_consumer_min_heartbeat_interval_ms,
            config.group_consumer_max_heartbeat_interval_ms,
        ),
        ASSIGNMENT_INTERVAL: (
            config.group_consumer_min_assignment_interval_ms,
            config.group_consumer_max_assignment_interval_ms,
        ),
    }


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_CONFIG, message)

"""The settings of a group, within the broker's bounds (KIP-848, KIP-932, KIP-1071).

Kafka's dynamic configs of the resource type GROUP (``GroupConfig``). Most keys override the
broker's key ``group.<key>``. A group that does not exist may have settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from broker.common.errors import ApiError
from broker.config import Config
from broker.config.entry import ConfigEntry, ConfigSource, ConfigSynonym
from broker.config.group_keys import GROUP_KEYS, GroupKey
from broker.config.key import attribute
from broker.config.kinds import InvalidValue, Value, format_value
from broker.config.refusals import invalid_value
from protocol.errors import ErrorCode

SESSION_TIMEOUT: Final = "consumer.session.timeout.ms"
HEARTBEAT_INTERVAL: Final = "consumer.heartbeat.interval.ms"
ASSIGNMENT_INTERVAL: Final = "consumer.assignment.interval.ms"

SHARE_SESSION_TIMEOUT: Final = "share.session.timeout.ms"
SHARE_HEARTBEAT_INTERVAL: Final = "share.heartbeat.interval.ms"
SHARE_ASSIGNMENT_INTERVAL: Final = "share.assignment.interval.ms"
SHARE_RECORD_LOCK_DURATION: Final = "share.record.lock.duration.ms"
SHARE_DELIVERY_COUNT_LIMIT: Final = "share.delivery.count.limit"
SHARE_PARTITION_MAX_RECORD_LOCKS: Final = "share.partition.max.record.locks"
SHARE_AUTO_OFFSET_RESET: Final = "share.auto.offset.reset"
SHARE_ISOLATION_LEVEL: Final = "share.isolation.level"
SHARE_RENEW_ACKNOWLEDGE_ENABLE: Final = "share.renew.acknowledge.enable"

STREAMS_SESSION_TIMEOUT: Final = "streams.session.timeout.ms"
STREAMS_HEARTBEAT_INTERVAL: Final = "streams.heartbeat.interval.ms"
STREAMS_ASSIGNMENT_INTERVAL: Final = "streams.assignment.interval.ms"
STREAMS_INITIAL_REBALANCE_DELAY: Final = "streams.initial.rebalance.delay.ms"
STREAMS_NUM_STANDBY_REPLICAS: Final = "streams.num.standby.replicas"

_TIMED: Final = ("consumer", "share", "streams")


class GroupConfigs:
    """The settings of groups, by group id; the broker's value applies for a key that is not set."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._set: dict[str, dict[str, Value]] = {}

    def session_timeout_ms(self, group_id: str) -> int:
        """The time without heartbeats after which a member is removed."""
        return self.number(group_id, SESSION_TIMEOUT)

    def heartbeat_interval_ms(self, group_id: str) -> int:
        """The interval at which members send heartbeats."""
        return self.number(group_id, HEARTBEAT_INTERVAL)

    def assignment_interval_ms(self, group_id: str) -> int:
        """The shortest time between two target assignments of a group."""
        return self.number(group_id, ASSIGNMENT_INTERVAL)

    def replace(self, group_id: str, settings: Mapping[str, str]) -> None:
        """Replace the settings of a group; `check_group_configs` has accepted them."""
        self._set[group_id] = {
            name: GROUP_KEYS[name].kind.parse(text) for name, text in settings.items()
        }

    def number(self, group_id: str, name: str) -> int:
        """The value of a key that is a number, such as a time in milliseconds."""
        value = self.value(group_id, name)
        assert isinstance(value, int), "the key has another kind of value"
        return value

    def value(self, group_id: str, name: str) -> Value:
        """The value of a key: the group's own one, or that of the broker."""
        settings = self._set.get(group_id)
        if settings is not None and (value := settings.get(name)) is not None:
            return value
        return _of_broker(self._config, GROUP_KEYS[name])


def check_group_configs(config: Config, settings: Mapping[str, str]) -> None:
    """Raise `ApiError` INVALID_CONFIG unless these settings are valid for a group."""
    values = {name: _checked(config, name, text) for name, text in settings.items()}
    for kind in _TIMED:
        session, heartbeat = (
            _number(values.get(name, _of_broker(config, GROUP_KEYS[name])))
            for name in (f"{kind}.session.timeout.ms", f"{kind}.heartbeat.interval.ms")
        )
        if session <= heartbeat:
            raise _invalid(
                f"{kind}.session.timeout.ms must be greater than {kind}.heartbeat.interval.ms"
            )


def describe_group(config: Config, settings: Mapping[str, str]) -> list[ConfigEntry]:
    """All keys of a group, for DescribeConfigs."""
    return [_describe(config, key, settings.get(key.name)) for key in GROUP_KEYS.values()]


def _checked(config: Config, name: str, text: str) -> Value:
    key = GROUP_KEYS.get(name)
    if key is None:
        raise _invalid(f"Unknown group config name: {name}")
    try:
        value = key.kind.parse(text)
    except InvalidValue:
        raise _invalid(invalid_value(name, key.kind, text)) from None
    if key.lowest is not None and _number(value) < _number(config.value(key.lowest)):
        raise _invalid(f"{name} must be greater than or equal to {key.lowest}")
    if key.highest is not None and _number(value) > _number(config.value(key.highest)):
        raise _invalid(f"{name} must be less than or equal to {key.highest}")
    return value


def _describe(config: Config, key: GroupKey, text: str | None) -> ConfigEntry:
    value = format_value(_of_broker(config, key)) if text is None else text
    if key.broker_key is None:
        synonyms = [ConfigSynonym(key.name, format_value(key.default), ConfigSource.DEFAULT)]
    else:
        synonyms = config.synonyms(key.broker_key)
    if text is not None:
        synonyms.insert(0, ConfigSynonym(key.name, text, ConfigSource.DYNAMIC_GROUP))
    return ConfigEntry(
        name=key.name,
        value=value,
        source=synonyms[0].source,
        config_type=key.kind.config_type,
        synonyms=synonyms,
        documentation=key.documentation,
        read_only=False,
    )


def _of_broker(config: Config, key: GroupKey) -> Value:
    """The value for groups that do not set the key."""
    if key.broker_key is None:
        return key.default
    # Without `Config.value`, which is interpreted: a share fetch reads five settings.
    value: Value = getattr(config, attribute(key.broker_key))
    return value


def _number(value: Value) -> int:
    assert isinstance(value, int), "only numbers have bounds"
    return value


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_CONFIG, message)

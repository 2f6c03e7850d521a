"""What can be set for one group of the consumer protocol, within the broker's bounds (KIP-848).

Kafka's dynamic configs of the resource type GROUP: what is set there goes over the broker's keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from broker.config import Config
from broker.config_kinds import Unfit, int32
from broker.errors import ApiError
from protocol.errors import ErrorCode

SESSION_TIMEOUT = "consumer.session.timeout.ms"
HEARTBEAT_INTERVAL = "consumer.heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "consumer.assignment.interval.ms"

_NOTHING: Mapping[str, int] = MappingProxyType({})


class GroupConfigs:
    """The settings of groups, by name of the group; what is not set is the broker's."""

    def __init__(self, config: Config) -> None:
        self._defaults = {
            SESSION_TIMEOUT: config.group_consumer_session_timeout_ms,
            HEARTBEAT_INTERVAL: config.group_consumer_heartbeat_interval_ms,
            ASSIGNMENT_INTERVAL: config.group_consumer_assignment_interval_ms,
        }
        self._bounds = {
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

    def of(self, group_id: str) -> Mapping[str, int]:
        """What is set for a group itself."""
        return self._set.get(group_id, _NOTHING)

    def replace(self, group_id: str, settings: Mapping[str, str]) -> None:
        """Set just this for a group; raises `ApiError` INVALID_CONFIG and changes nothing then."""
        values = {name: self._read(name, text) for name, text in settings.items()}
        session_ms = values.get(SESSION_TIMEOUT, self._defaults[SESSION_TIMEOUT])
        interval_ms = values.get(HEARTBEAT_INTERVAL, self._defaults[HEARTBEAT_INTERVAL])
        if session_ms <= interval_ms:
            raise _invalid(f"{SESSION_TIMEOUT} must be greater than {HEARTBEAT_INTERVAL}")
        self._set[group_id] = values

    def _value(self, group_id: str, name: str) -> int:
        return self._set.get(group_id, _NOTHING).get(name, self._defaults[name])

    def _read(self, name: str, text: str) -> int:
        if name not in self._defaults:
            raise _invalid(f"Unknown group config name: {name}")
        try:
            value = int(str(int32().parse(text)))
        except Unfit as allowed:
            raise _invalid(f"Invalid value {text} for configuration {name}: {allowed}") from None
        low, high = self._bounds[name]
        broker_key = f"group.{name.replace('consumer.', 'consumer.{}.')}"
        if value < low:
            raise _invalid(f"{name} must be greater than or equal to {broker_key.format('min')}")
        if value > high:
            raise _invalid(f"{name} must be less than or equal to {broker_key.format('max')}")
        return value


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_CONFIG, message)

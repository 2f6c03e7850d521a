"""The settings of a client metrics subscription (KIP-714, ``ClientMetricsConfigs``).

Subscriptions are validated, stored and described as in Kafka. They have no effect: the broker does
not request metrics from clients.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from broker.common.errors import ApiError
from broker.config.entry import ConfigEntry, ConfigSource, ConfigSynonym
from broker.config.kinds import AnyList, InvalidValue, Kind, Value, format_value, int32
from broker.config.refusals import invalid_value
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

_INTERVAL = "interval.ms"
_MATCH = "match"
_INTERVAL_MIN_MS, _INTERVAL_MAX_MS = 100, 3_600_000
_SELECTORS = frozenset(
    {
        "client_instance_id",
        "client_id",
        "client_software_name",
        "client_software_version",
        "client_source_address",
        "client_source_port",
    }
)
_DOCUMENTATION = "No effect: the broker does not request metrics from clients."


@dataclass(frozen=True, slots=True)
class ClientMetricsKey:
    """A key of a subscription."""

    name: str
    kind: Kind
    default: Value


CLIENT_METRICS_KEYS: Mapping[str, ClientMetricsKey] = MappingProxyType(
    {
        key.name: key
        for key in (
            ClientMetricsKey(_INTERVAL, int32(), 300_000),
            ClientMetricsKey(_MATCH, AnyList(), ()),
            ClientMetricsKey("metrics", AnyList(), ()),
        )
    }
)


def check_client_metrics_configs(settings: Mapping[str, str]) -> None:
    """Raise `ApiError` unless these settings are valid for a subscription.

    INVALID_REQUEST: an unknown key, an interval out of bounds. INVALID_CONFIG: all other errors.
    """
    for name, text in settings.items():
        key = CLIENT_METRICS_KEYS.get(name)
        if key is None:
            reason = f"Unknown client metrics configuration: {name}"
            raise ApiError(ErrorCode.INVALID_REQUEST, reason)
        try:
            value = key.kind.parse(text)
        except InvalidValue:
            reason = invalid_value(name, key.kind, text)
            raise ApiError(ErrorCode.INVALID_CONFIG, reason) from None
        if isinstance(value, int):
            _check_interval(value)
        elif name == _MATCH:
            assert isinstance(value, tuple)
            for pattern in value:
                _check_pattern(pattern)


def describe_client_metrics(settings: Mapping[str, str]) -> list[ConfigEntry]:
    """All keys of a subscription, for DescribeConfigs."""
    return [_describe(key, settings.get(key.name)) for key in CLIENT_METRICS_KEYS.values()]


def _describe(key: ClientMetricsKey, text: str | None) -> ConfigEntry:
    is_set = text is not None
    source = ConfigSource.CLIENT_METRICS if is_set else ConfigSource.DEFAULT
    return ConfigEntry(
        name=key.name,
        value=text if is_set else format_value(key.default),
        source=source,
        config_type=key.kind.config_type,
        synonyms=[ConfigSynonym(key.name, text, source)] if is_set else [],
        documentation=_DOCUMENTATION,
        read_only=False,
    )


def _check_interval(value: int) -> None:
    if not _INTERVAL_MIN_MS <= value <= _INTERVAL_MAX_MS:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Invalid value {value} for interval.ms, interval must be between {_INTERVAL_MIN_MS} "
            f"and {_INTERVAL_MAX_MS} (1 hour)",
        )


def _check_pattern(pattern: str) -> None:
    selector, equals, expression = pattern.partition("=")
    try:
        re.compile(expression.strip())
    except re.error:
        equals = ""
    if not equals or selector.strip() not in _SELECTORS:
        raise ApiError(ErrorCode.INVALID_CONFIG, f"Illegal client matching pattern: {pattern}")

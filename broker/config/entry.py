"""A configuration value as DescribeConfigs returns it: its source and what it overrides."""

from __future__ import annotations

from dataclasses import field
from enum import IntEnum

from broker.config.key import Key
from broker.config.kinds import ConfigType, Value, format_value
from protocol.lazy_dataclass import dataclass


class ConfigSource(IntEnum):
    """The source of a value (``DescribeConfigsResponse.ConfigSource``)."""

    DYNAMIC_TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT_BROKER = 3
    STATIC_BROKER = 4
    DEFAULT = 5
    DYNAMIC_BROKER_LOGGER = 6
    CLIENT_METRICS = 7
    DYNAMIC_GROUP = 8


@dataclass(frozen=True, slots=True)
class ConfigSynonym:
    """A value from one source; the first of a list applies (KIP-226)."""

    name: str
    value: str | None
    source: ConfigSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEntry:
    """One key of a resource; the value of a ``sensitive`` key is None."""

    name: str
    value: str | None
    source: ConfigSource
    config_type: ConfigType
    synonyms: list[ConfigSynonym] = field(default_factory=list)
    documentation: str
    read_only: bool
    sensitive: bool = False


def is_sensitive(config_type: ConfigType) -> bool:
    """Whether clients do not get values of this type; an unknown key may be a secret."""
    return config_type in (ConfigType.PASSWORD, ConfigType.UNKNOWN)


def visible_value(key: Key, value: Value) -> str | None:
    """A value as text for clients; None for a sensitive one."""
    return None if is_sensitive(key.kind.config_type) else format_value(value)

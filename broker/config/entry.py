"""A configuration value as DescribeConfigs returns it: its source and what it overrides."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from broker.config.key import Key
from broker.config.kinds import ConfigType, Value, written


class ConfigSource(IntEnum):
    """Where a value comes from (``DescribeConfigsResponse.ConfigSource``)."""

    DYNAMIC_TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT_BROKER = 3
    STATIC_BROKER = 4
    DEFAULT = 5
    CLIENT_METRICS = 7
    DYNAMIC_GROUP = 8


@dataclass(frozen=True, slots=True)
class ConfigSynonym:
    """One of the places a value may come from; the first of a list counts (KIP-226)."""

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
    """Whether values of this type are not returned; a key that nobody knows may be a secret."""
    return config_type in (ConfigType.PASSWORD, ConfigType.UNKNOWN)


def shown(key: Key, value: Value) -> str | None:
    """A value as a client may see it."""
    return None if is_sensitive(key.kind.config_type) else written(value)

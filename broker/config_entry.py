"""A configuration value as DescribeConfigs tells it: where it comes from and what it overrides."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from broker.config_kinds import ConfigType


class ConfigSource(IntEnum):
    """Where a value comes from (``DescribeConfigsResponse.ConfigSource``)."""

    DYNAMIC_TOPIC = 1
    DYNAMIC_BROKER = 2
    DYNAMIC_DEFAULT_BROKER = 3
    STATIC_BROKER = 4
    DEFAULT = 5
    DYNAMIC_GROUP = 8


@dataclass(frozen=True, slots=True)
class ConfigSynonym:
    """One of the places a value may come from; the first of a list counts (KIP-226)."""

    name: str
    value: str | None
    source: ConfigSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigEntry:
    """One key of a resource. No key here holds a secret; one that did would set ``sensitive``."""

    name: str
    value: str | None
    source: ConfigSource
    config_type: ConfigType
    synonyms: list[ConfigSynonym] = field(default_factory=list)
    documentation: str
    read_only: bool
    sensitive: bool = False

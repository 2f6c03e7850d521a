"""The settings of a broker as DescribeConfigs returns them (``ConfigHelper``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from broker.config.broker_config import Config
from broker.config.entry import (
    ConfigEntry,
    ConfigSource,
    ConfigSynonym,
    is_sensitive,
    visible_value,
)
from broker.config.key import Key
from broker.config.kinds import ConfigType
from broker.config.table import DYNAMIC_KEYS, KEYS, dynamic_key, may_change


def describe_broker(config: Config) -> list[ConfigEntry]:
    """All keys of a broker except internal ones, and those that Kafka's definition lacks if set."""
    others = dict.fromkeys(name for _, level in config.levels() for name in level)
    return [
        *(
            _entry(config, name)
            for name, key in KEYS.items()
            if not key.internal and not key.of_plugin
        ),
        *(_other(config, name) for name in others if name not in KEYS or KEYS[name].of_plugin),
    ]


def describe_all_brokers(config: Config) -> list[ConfigEntry]:
    """The settings that were made dynamically for all nodes."""
    source = ConfigSource.DYNAMIC_DEFAULT_BROKER
    entries = []
    for name, text in config.dynamic_default.items():
        entry = _entry(config, name) if name in KEYS else _other(config, name)
        synonym = ConfigSynonym(name, None if entry.sensitive else text, source)
        entries.append(replace(entry, value=synonym.value, source=source, synonyms=[synonym]))
    return entries


def _entry(config: Config, name: str) -> ConfigEntry:
    key = KEYS[name]
    return ConfigEntry(
        name=name,
        value=visible_value(key, config.value(name)),
        source=config.source(name),
        config_type=key.kind.config_type,
        synonyms=config.synonyms(name),
        documentation=key.documentation,
        read_only=not may_change(name),
        sensitive=is_sensitive(key.kind.config_type),
    )


def _other(config: Config, name: str) -> ConfigEntry:
    """A key of one listener, or a key that is not in Kafka's definition of a broker's keys."""
    key = dynamic_key(name)
    if key is not None and key.of_plugin:
        key = None
    config_type = ConfigType.UNKNOWN if key is None else key.kind.config_type
    sensitive = is_sensitive(config_type)
    synonyms = [
        ConfigSynonym(name, None if sensitive else level[name], source)
        for source, level in config.levels()
        if name in level
    ]
    return ConfigEntry(
        name=name,
        value=synonyms[0].value,
        source=synonyms[0].source,
        config_type=config_type,
        synonyms=[*synonyms, *([] if key is None else _synonyms_of_key(config, key, name))],
        documentation="",
        read_only=name not in DYNAMIC_KEYS,  # as in Kafka, although the other keys can change
        sensitive=sensitive,
    )


def _synonyms_of_key(config: Config, key: Key, name: str) -> Iterable[ConfigSynonym]:
    """Those of the key without the prefix of a listener."""
    return () if key.name == name else config.synonyms(key.name)

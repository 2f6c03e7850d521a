"""The settings of a broker, under Kafka's own names.

An attribute is named as Kafka's key with underscores for its dots, so ``fetch.max.bytes`` is
``config.fetch_max_bytes``; ``None`` is a key that has no value, whose less precise sister then
counts (``log.roll.ms``, ``log.roll.hours``). The keys are declared in `broker.config.keys`. A key
that has no effect here (`broker.config.idle`) has no attribute; `Config.value` returns it by name.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import dropwhile
from types import MappingProxyType
from typing import Any, NamedTuple

from broker.common.errors import StartupError
from broker.config.advice import NOT_HERE
from broker.config.entry import ConfigSource, ConfigSynonym, shown
from broker.config.key import attribute
from broker.config.keys.classic_groups import ClassicGroupKeys
from broker.config.keys.connections import ConnectionKeys
from broker.config.keys.consumer_groups import ConsumerGroupKeys
from broker.config.keys.flushing import FlushKeys
from broker.config.keys.offsets import OffsetKeys
from broker.config.keys.producers import ProducerKeys
from broker.config.keys.purgatories import PurgatoryKeys
from broker.config.keys.records import RecordKeys
from broker.config.keys.replication import ReplicationKeys
from broker.config.keys.retention import RetentionKeys
from broker.config.keys.segments import SegmentKeys
from broker.config.keys.topics import TopicKeys
from broker.config.kinds import Unfit, Value, written
from broker.config.table import KEYS


class ConfigError(StartupError):
    """A setting that cannot be: one line with its key, what was given and what is allowed."""


class Setting(NamedTuple):
    """A key and its value as a user wrote them, and where."""

    key: str
    value: str
    origin: str


@dataclass(kw_only=True, slots=True)  # a read from a slot costs half of one from a dict
class Config(
    ConnectionKeys,
    TopicKeys,
    RecordKeys,
    SegmentKeys,
    FlushKeys,
    RetentionKeys,
    PurgatoryKeys,
    ReplicationKeys,
    ClassicGroupKeys,
    ConsumerGroupKeys,
    OffsetKeys,
    ProducerKeys,
):
    """All settings of a broker; ``Config()`` has the defaults.

    Only `reconfigure` changes one: whoever holds it reads the new values from then on.
    """

    # What the user set, as written; the rest are defaults.
    given: Mapping[str, str] = field(default_factory=dict, repr=False)
    # What the command line says under other names (``--port``), by Kafka's keys for it.
    facts: Mapping[str, str] = field(default_factory=dict, repr=False)
    # What was set while the broker runs: on this node, and on all nodes.
    own: Mapping[str, str] = field(default_factory=dict, repr=False)
    shared: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def from_settings(cls, settings: Iterable[Setting]) -> Config:
        """The defaults with *settings* over them, later ones winning; raises `ConfigError`."""
        values: dict[str, Any] = {}
        latest = {setting.key: setting for setting in settings}
        for setting in latest.values():
            value = _read(setting)
            if KEYS[setting.key].idle is None:
                values[attribute(setting.key)] = value
        config = cls(**values, given={setting.key: setting.value for setting in latest.values()})
        _check_together(config, latest)
        return config

    def value(self, key: str) -> Value:
        """The value of a key by Kafka's name of it."""
        if KEYS[key].idle is None:
            value: Value = getattr(self, attribute(key))
            return value
        return self.given_value(key, self.own, self.shared)

    def reconfigure(self, own: Mapping[str, str], shared: Mapping[str, str]) -> None:
        """Take over what was set while the broker runs; `broker.config.dynamic` has accepted it."""
        touched = {*self.own, *self.shared, *own, *shared} & KEYS.keys()
        self.own, self.shared = own, shared
        for key in touched:
            if KEYS[key].idle is None:
                setattr(self, attribute(key), self.given_value(key, own, shared))

    def given_value(self, key: str, own: Mapping[str, str], shared: Mapping[str, str]) -> Value:
        """The value of a key if *own* and *shared* are set while the broker runs."""
        levels = (own, shared, self.facts, self.given)
        text = next((level[key] for level in levels if key in level), None)
        return KEYS[key].default if text is None else KEYS[key].kind.parse(text)

    def source(self, key: str) -> ConfigSource:
        """Where the value of a key comes from."""
        given = (source for source, level in self._levels() if key in level)
        return next(given, ConfigSource.DEFAULT)

    def synonyms(self, key: str) -> list[ConfigSynonym]:
        """The values that a key has been given and its default, as DescribeConfigs lists them.

        Those of coarser keys that mean the same follow, but none comes before the key's own first
        (``ConfigHelper.configSynonyms``).
        """
        names = _SAME_MEANING.get(key, (key,))
        found = [
            ConfigSynonym(name, shown(KEYS[name], KEYS[name].kind.parse(level[name])), source)
            for source, level in self._levels()
            for name in names
            if name in level
        ]
        found += [
            ConfigSynonym(name, written(KEYS[name].default), ConfigSource.DEFAULT)
            for name in names
            if KEYS[name].default is not None
        ]
        return list(dropwhile(lambda each: each.name != key, found))

    def _levels(self) -> tuple[tuple[ConfigSource, Mapping[str, str]], ...]:
        """Where a value may come from; the first place that has one counts (KIP-226)."""
        return (
            (ConfigSource.DYNAMIC_BROKER, self.own),
            (ConfigSource.DYNAMIC_DEFAULT_BROKER, self.shared),
            (ConfigSource.STATIC_BROKER, self.facts),
            (ConfigSource.STATIC_BROKER, self.given),
        )


def parse_config(given: Mapping[str, str], origin: str = "-c") -> Config:
    """The defaults with the values of a mapping over them; raises `ConfigError`."""
    return Config.from_settings(Setting(key, value, origin) for key, value in given.items())


DEFAULTS: Mapping[str, Value] = MappingProxyType({key.name: key.default for key in KEYS.values()})


def _read(setting: Setting) -> Value:
    key = KEYS.get(setting.key)
    if key is None:
        raise ConfigError(f"{setting.origin}: {_unknown(setting.key)}")
    if key.idle is not None and key.idle.advice is not None:
        raise ConfigError(f"{setting.origin}: {key.name} cannot be set here: {key.idle.advice}")
    try:
        return key.kind.parse(setting.value)
    except Unfit as allowed:
        raise ConfigError(
            f"{setting.origin}: {setting.key}={setting.value!r} is not {allowed}"
        ) from None


def _unknown(key: str) -> str:
    if key in NOT_HERE:
        return f"{key} is not a key of this broker: {NOT_HERE[key]}"
    close = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.7)
    hint = f"; did you mean {close[0]}?" if close else "; docs/configuration.md lists the keys"
    return f"unknown key {key!r}{hint}"


def _check_together(config: Config, settings: Mapping[str, Setting]) -> None:
    """Refuse pairs of values that contradict each other, as Kafka does at start."""
    ordered: tuple[tuple[str, str], ...] = _ORDERED
    if config.queued_max_request_bytes > 0:  # otherwise there is no limit
        ordered += (("socket.request.max.bytes", "queued.max.request.bytes"),)
    for smaller, larger in ordered:
        if config.value(smaller) <= config.value(larger):  # type: ignore[operator]  # both numbers
            continue
        culprit = settings.get(smaller) or settings[larger]
        raise ConfigError(
            f"{culprit.origin}: {smaller}={config.value(smaller)} is more than "
            f"{larger}={config.value(larger)}"
        )


# ``DynamicBrokerConfig.brokerConfigSynonyms``
_ROLL = ("log.roll.ms", "log.roll.hours")
_ROLL_JITTER = ("log.roll.jitter.ms", "log.roll.jitter.hours")
_RETENTION = ("log.retention.ms", "log.retention.minutes", "log.retention.hours")
_SAME_MEANING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{name: names for names in (_ROLL, _ROLL_JITTER, _RETENTION) for name in names},
        "log.flush.interval.ms": ("log.flush.interval.ms", "log.flush.scheduler.interval.ms"),
    }
)

_ORDERED = (
    ("group.min.session.timeout.ms", "group.max.session.timeout.ms"),
    ("group.consumer.min.session.timeout.ms", "group.consumer.session.timeout.ms"),
    ("group.consumer.session.timeout.ms", "group.consumer.max.session.timeout.ms"),
    ("group.consumer.min.heartbeat.interval.ms", "group.consumer.heartbeat.interval.ms"),
    ("group.consumer.heartbeat.interval.ms", "group.consumer.max.heartbeat.interval.ms"),
    ("group.consumer.heartbeat.interval.ms", "group.consumer.session.timeout.ms"),
    ("group.consumer.min.assignment.interval.ms", "group.consumer.assignment.interval.ms"),
    ("group.consumer.assignment.interval.ms", "group.consumer.max.assignment.interval.ms"),
    ("log.cleaner.min.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"),
    ("replica.fetch.wait.max.ms", "replica.lag.time.max.ms"),
)

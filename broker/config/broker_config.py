"""The settings of a broker, under Kafka's names.

The attribute of a key is its name with underscores for dots: ``fetch.max.bytes`` is
``config.fetch_max_bytes``. ``None`` means that the key is not set; a synonym with a coarser unit
may apply instead (``log.roll.hours`` for ``log.roll.ms``). The keys are declared in
`broker.config.keys`. A key without effect (`broker.config.unused`) has no attribute; `Config.value`
returns its value. `Config.for_listener` returns the value of a key for one listener.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from itertools import dropwhile
from types import MappingProxyType
from typing import Any, NamedTuple

from broker.common.choices import closest
from broker.common.errors import StartupError
from broker.config.advice import ADVICE
from broker.config.entry import ConfigSource, ConfigSynonym, is_sensitive
from broker.config.key import attribute
from broker.config.keys.all_keys import AllKeys
from broker.config.kinds import InvalidValue, Value, format_value
from broker.config.listener_keys import PREFIX, applies_to_listeners, listener_names
from broker.config.table import KEYS, known_key
from protocol.lazy_dataclass import dataclass


class ConfigError(StartupError):
    """An invalid setting: one line with its key, the given value and the allowed values."""


class Setting(NamedTuple):
    """A key and its value as the user wrote them, and their origin, such as a file and line."""

    key: str
    value: str
    origin: str


@dataclass(kw_only=True, slots=True)  # a read from a slot costs half of one from a dict
class Config(AllKeys):
    """All settings of a broker; ``Config()`` has the defaults.

    Only `reconfigure` changes an object, and every holder of the object sees the new values.
    """

    # The settings that the user gave at the start, as text.
    given: Mapping[str, str] = field(default_factory=dict, repr=False)
    # The settings of other command line options (``--port``), by Kafka's keys, as text.
    command_line: Mapping[str, str] = field(default_factory=dict, repr=False)
    # The settings made while the broker runs, on this node and on all nodes, as text.
    dynamic_broker: Mapping[str, str] = field(default_factory=dict, repr=False)
    dynamic_default: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def from_settings(cls, settings: Iterable[Setting]) -> Config:
        """The defaults overridden by *settings*, the last one of each key; raises `ConfigError`."""
        values: dict[str, Any] = {}
        latest = {setting.key: setting for setting in settings}
        for setting in latest.values():
            value = _read(setting)
            if setting.key in KEYS and KEYS[setting.key].unused is None:
                values[attribute(setting.key)] = value
        config = cls(**values, given={setting.key: setting.value for setting in latest.values()})
        _check_together(config, latest)
        return config

    def value(self, key: str) -> Value:
        """The value of a key, by its Kafka name."""
        if KEYS[key].unused is None:
            value: Value = getattr(self, attribute(key))
            return value
        return self.given_value(key, self.dynamic_broker, self.dynamic_default)

    def for_listener(self, listener: str, key: str, mechanism: str | None = None) -> Value:
        """The value of *key* for a listener, or for a SASL mechanism of a listener.

        A value for the mechanism precedes one for the listener, which precedes the plain one. The
        text of a prefixed value was checked when it was set.
        """
        text = self._prefixed(listener, key, mechanism)
        return self.value(key) if text is None else KEYS[key].kind.parse(text)

    def for_listener_alone(self, listener: str, key: str) -> Value:
        """The value of *key* with a listener's prefix, or else the default of the key."""
        text = self._prefixed(listener, key, None)
        return KEYS[key].default if text is None else KEYS[key].kind.parse(text)

    def _prefixed(self, listener: str, key: str, mechanism: str | None) -> str | None:
        """The text of the most specific value with a prefix; None if there is none."""
        for name in listener_names(listener, key, mechanism):
            for _, level in self.levels():
                if name in level:
                    return level[name]
        return None

    def of_node(self, settings: Mapping[str, str]) -> Config:
        """A copy for a node, for which command line options determine these keys."""
        values: dict[str, Any] = {
            attribute(key): KEYS[key].kind.parse(text)
            for key, text in settings.items()
            if KEYS[key].unused is None
        }
        given = {key: text for key, text in self.given.items() if key not in settings}
        return replace(self, command_line=settings, given=given, **values)

    def also_given(self, settings: Mapping[str, str]) -> Config:
        """A copy that has these settings too, unless the user has given others."""
        added = {key: text for key, text in settings.items() if key not in self.given}
        values: dict[str, Any] = {
            attribute(key): KEYS[key].kind.parse(text) for key, text in added.items()
        }
        return replace(self, given={**self.given, **added}, **values)

    def with_dynamic(self, dynamic_broker: Mapping[str, str]) -> Config:
        """A copy with these settings for the node instead of the present ones."""
        copy = replace(self)
        copy.reconfigure(dynamic_broker, self.dynamic_default)
        return copy

    def reconfigure(
        self, dynamic_broker: Mapping[str, str], dynamic_default: Mapping[str, str]
    ) -> None:
        """Apply settings made while the broker runs, which `broker.config.dynamic` has accepted."""
        touched = {
            *self.dynamic_broker,
            *self.dynamic_default,
            *dynamic_broker,
            *dynamic_default,
        } & KEYS.keys()
        self.dynamic_broker, self.dynamic_default = dynamic_broker, dynamic_default
        for key in touched:
            if KEYS[key].unused is None:
                setattr(
                    self, attribute(key), self.given_value(key, dynamic_broker, dynamic_default)
                )

    def given_value(
        self, key: str, dynamic_broker: Mapping[str, str], dynamic_default: Mapping[str, str]
    ) -> Value:
        """The value of a key under these dynamic settings."""
        levels = (dynamic_broker, dynamic_default, self.command_line, self.given)
        text = next((level[key] for level in levels if key in level), None)
        return KEYS[key].default if text is None else KEYS[key].kind.parse(text)

    def source(self, key: str) -> ConfigSource:
        """The source of a key's value."""
        given = (source for source, level in self.levels() if key in level)
        return next(given, ConfigSource.DEFAULT)

    def synonyms(self, key: str) -> list[ConfigSynonym]:
        """The values given to a key and its default, as DescribeConfigs lists them.

        The values of synonyms with coarser units follow; the first one is the key's own
        (``ConfigHelper.configSynonyms``). A value is as it was given: "+7", not "7".
        """
        names = _SAME_MEANING.get(key, (key,))
        found = [
            ConfigSynonym(
                name, None if is_sensitive(KEYS[name].kind.config_type) else level[name], source
            )
            for source, level in self.levels()
            for name in names
            if name in level
        ]
        found += [
            ConfigSynonym(name, format_value(KEYS[name].default), ConfigSource.DEFAULT)
            for name in names
            if KEYS[name].default is not None
        ]
        return list(dropwhile(lambda each: each.name != key, found))

    def levels(self) -> tuple[tuple[ConfigSource, Mapping[str, str]], ...]:
        """The sources of values in the order in which they apply (KIP-226)."""
        return (
            (ConfigSource.DYNAMIC_BROKER, self.dynamic_broker),
            (ConfigSource.DYNAMIC_DEFAULT_BROKER, self.dynamic_default),
            (ConfigSource.STATIC_BROKER, self.command_line),
            (ConfigSource.STATIC_BROKER, self.given),
        )


def parse_config(given: Mapping[str, str], origin: str = "-c") -> Config:
    """The defaults overridden by the values of a mapping; raises `ConfigError`."""
    return Config.from_settings(Setting(key, value, origin) for key, value in given.items())


DEFAULTS: Mapping[str, Value] = MappingProxyType({key.name: key.default for key in KEYS.values()})


def _read(setting: Setting) -> Value:
    key = known_key(setting.key)
    if key is None:
        raise ConfigError(f"{setting.origin}: {_unknown(setting.key)}")
    if key.unused is not None and key.unused.advice is not None:
        raise ConfigError(f"{setting.origin}: {key.name} cannot be set here: {key.unused.advice}")
    if setting.key != key.name and not applies_to_listeners(key.name):
        raise ConfigError(
            f"{setting.origin}: {setting.key}: {key.name} cannot be set for one listener; "
            "set it without the prefix"
        )
    try:
        return key.kind.parse(setting.value)
    except InvalidValue as allowed:
        raise ConfigError(
            f"{setting.origin}: {setting.key}={setting.value!r} is not {allowed}"
        ) from None


def _unknown(key: str) -> str:
    if key in ADVICE:
        return f"{key} is not a key of this broker: {ADVICE[key]}"
    plain, prefix = key, ""
    if key.startswith(PREFIX):
        listener, _, plain = key.removeprefix(PREFIX).partition(".")
        prefix = f"{PREFIX}{listener}."
    close = closest(plain, KEYS)
    lists = "antechamber serve --list-keys lists them"
    hint = f"; did you mean {prefix}{close}?" if close else f"; {lists}"
    return f"unknown key {key!r}{hint}"


def _check_together(config: Config, settings: Mapping[str, Setting]) -> None:
    """Raise `ConfigError` for values that contradict each other, as Kafka does at the start."""
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
    for pair in _ASCENDING:
        _check_ascending(config, settings, *pair)
    delay, idle = _DELAY_AND_IDLE
    if config.value(idle) >= 0:  # type: ignore[operator]  # a number
        # An idle connection must not be closed before the response to its failed login.
        _check_ascending(config, settings, delay, idle)


def _check_ascending(
    config: Config, settings: Mapping[str, Setting], smaller: str, larger: str
) -> None:
    """Raise `ConfigError` unless the value of *smaller* is less than that of *larger*."""
    value, limit = config.value(smaller), config.value(larger)
    if value >= limit:  # type: ignore[operator]  # both numbers
        culprit = settings.get(larger) or settings[smaller]
        raise ConfigError(f"{culprit.origin}: {smaller}={value} is not less than {larger}={limit}")


_DELAY_AND_IDLE = ("connection.failed.authentication.delay.ms", "connections.max.idle.ms")

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

# Pairs of which the second value must be greater.
_ASCENDING = tuple(
    (f"group.{kind}.heartbeat.interval.ms", f"group.{kind}.session.timeout.ms")
    for kind in ("consumer", "share", "streams")
)
# Pairs of which the second value must not be smaller.
_ORDERED = (
    ("group.min.session.timeout.ms", "group.max.session.timeout.ms"),
    ("group.consumer.min.session.timeout.ms", "group.consumer.session.timeout.ms"),
    ("group.consumer.session.timeout.ms", "group.consumer.max.session.timeout.ms"),
    ("group.consumer.min.heartbeat.interval.ms", "group.consumer.heartbeat.interval.ms"),
    ("group.consumer.heartbeat.interval.ms", "group.consumer.max.heartbeat.interval.ms"),
    ("group.consumer.min.assignment.interval.ms", "group.consumer.assignment.interval.ms"),
    ("group.consumer.assignment.interval.ms", "group.consumer.max.assignment.interval.ms"),
    ("group.share.min.session.timeout.ms", "group.share.session.timeout.ms"),
    ("group.share.session.timeout.ms", "group.share.max.session.timeout.ms"),
    ("group.share.min.heartbeat.interval.ms", "group.share.heartbeat.interval.ms"),
    ("group.share.heartbeat.interval.ms", "group.share.max.heartbeat.interval.ms"),
    ("group.share.min.assignment.interval.ms", "group.share.assignment.interval.ms"),
    ("group.share.assignment.interval.ms", "group.share.max.assignment.interval.ms"),
    ("group.share.min.record.lock.duration.ms", "group.share.record.lock.duration.ms"),
    ("group.share.record.lock.duration.ms", "group.share.max.record.lock.duration.ms"),
    ("group.share.min.delivery.count.limit", "group.share.delivery.count.limit"),
    ("group.share.delivery.count.limit", "group.share.max.delivery.count.limit"),
    ("group.share.min.partition.max.record.locks", "group.share.partition.max.record.locks"),
    ("group.share.partition.max.record.locks", "group.share.max.partition.max.record.locks"),
    ("group.streams.min.session.timeout.ms", "group.streams.session.timeout.ms"),
    ("group.streams.session.timeout.ms", "group.streams.max.session.timeout.ms"),
    ("group.streams.min.heartbeat.interval.ms", "group.streams.heartbeat.interval.ms"),
    ("group.streams.heartbeat.interval.ms", "group.streams.max.heartbeat.interval.ms"),
    ("group.streams.min.assignment.interval.ms", "group.streams.assignment.interval.ms"),
    ("group.streams.assignment.interval.ms", "group.streams.max.assignment.interval.ms"),
    ("group.streams.num.standby.replicas", "group.streams.max.standby.replicas"),
    ("log.cleaner.min.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"),
    ("replica.fetch.wait.max.ms", "replica.lag.time.max.ms"),
)

"""A topic's configuration: what was set on it, and the broker's word for the rest.

Every topic key falls back to keys of the broker: ``segment.ms`` is ``log.roll.ms`` if that is set,
else ``log.roll.hours`` in milliseconds (Kafka's ``ServerTopicConfigSynonyms``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from broker.config import Config, attribute
from broker.config_entry import ConfigEntry, ConfigSource, ConfigSynonym
from broker.config_keys import KEYS
from broker.config_kinds import ConfigType, Kind, Unfit, Value, int64, written
from broker.config_refusals import invalid_value
from broker.errors import ApiError
from broker.idle_topic_keys import IDLE_TOPIC_KEYS, REMOTE_STORAGE_ENABLE
from broker.storage.log_config import LogConfig
from protocol.errors import ErrorCode

_MINUTE_MS = 60_000
_HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class TopicKey:
    """A topic's configuration key: the broker's keys behind it, with what they count times."""

    name: str
    synonyms: tuple[tuple[str, int], ...]
    # The range, where it is not that of the first synonym.
    own_kind: Kind | None = None

    @property
    def kind(self) -> Kind:
        """The kind of its values."""
        return self.own_kind or KEYS[self.synonyms[0][0]].kind

    @property
    def documentation(self) -> str:
        """What it means, in a sentence."""
        return KEYS[self.synonyms[0][0]].documentation


def _key(name: str, *brokers: str | tuple[str, int], kind: Kind | None = None) -> TopicKey:
    synonyms = tuple((b, 1) if isinstance(b, str) else b for b in brokers)
    return TopicKey(name, synonyms, kind)


_TABLE = (
    _key("cleanup.policy", "log.cleanup.policy"),
    _key("compression.gzip.level", "compression.gzip.level"),
    _key("compression.lz4.level", "compression.lz4.level"),
    _key("compression.type", "compression.type"),
    _key("compression.zstd.level", "compression.zstd.level"),
    _key("delete.retention.ms", "log.cleaner.delete.retention.ms"),
    _key("file.delete.delay.ms", "log.segment.delete.delay.ms"),
    _key("flush.messages", "log.flush.interval.messages"),
    _key("flush.ms", "log.flush.interval.ms", "log.flush.scheduler.interval.ms", kind=int64(0)),
    _key("index.interval.bytes", "log.index.interval.bytes"),
    _key("max.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"),
    _key("max.message.bytes", "message.max.bytes"),
    _key("message.timestamp.after.max.ms", "log.message.timestamp.after.max.ms"),
    _key("message.timestamp.before.max.ms", "log.message.timestamp.before.max.ms"),
    _key("message.timestamp.type", "log.message.timestamp.type"),
    _key("min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio"),
    _key("min.compaction.lag.ms", "log.cleaner.min.compaction.lag.ms"),
    _key("min.insync.replicas", "min.insync.replicas"),
    _key("preallocate", "log.preallocate"),
    _key("retention.bytes", "log.retention.bytes"),
    _key(
        "retention.ms",
        "log.retention.ms",
        ("log.retention.minutes", _MINUTE_MS),
        ("log.retention.hours", _HOUR_MS),
        kind=int64(-1),
    ),
    _key("segment.bytes", "log.segment.bytes"),
    _key("segment.index.bytes", "log.index.size.max.bytes"),
    _key("segment.jitter.ms", "log.roll.jitter.ms", ("log.roll.jitter.hours", _HOUR_MS)),
    _key("segment.ms", "log.roll.ms", ("log.roll.hours", _HOUR_MS)),
    _key("unclean.leader.election.enable", "unclean.leader.election.enable"),
)

TOPIC_KEYS: Mapping[str, TopicKey] = MappingProxyType({key.name: key for key in _TABLE})


@dataclass(frozen=True, slots=True, init=False)
class TopicConfig:
    """All settings of a topic, an attribute a key, as in `broker.config.Config`."""

    cleanup_policy: tuple[str, ...]  # cleanup.policy
    compression_gzip_level: int  # compression.gzip.level
    compression_lz4_level: int  # compression.lz4.level
    compression_type: str  # compression.type
    compression_zstd_level: int  # compression.zstd.level
    delete_retention_ms: int  # delete.retention.ms
    file_delete_delay_ms: int  # file.delete.delay.ms
    flush_messages: int  # flush.messages
    flush_ms: int  # flush.ms
    index_interval_bytes: int  # index.interval.bytes
    max_compaction_lag_ms: int  # max.compaction.lag.ms
    max_message_bytes: int  # max.message.bytes
    message_timestamp_after_max_ms: int  # message.timestamp.after.max.ms
    message_timestamp_before_max_ms: int  # message.timestamp.before.max.ms
    message_timestamp_type: str  # message.timestamp.type
    min_cleanable_dirty_ratio: float  # min.cleanable.dirty.ratio
    min_compaction_lag_ms: int  # min.compaction.lag.ms
    min_insync_replicas: int  # min.insync.replicas
    preallocate: bool  # preallocate
    retention_bytes: int  # retention.bytes
    retention_ms: int  # retention.ms
    segment_bytes: int  # segment.bytes
    segment_index_bytes: int  # segment.index.bytes
    segment_jitter_ms: int  # segment.jitter.ms
    segment_ms: int  # segment.ms
    unclean_leader_election_enable: bool  # unclean.leader.election.enable

    def __init__(self, config: Config, overrides: Mapping[str, str]) -> None:
        """Resolve *overrides*, which `check_topic_configs` has accepted, over *config*."""
        for name, key in TOPIC_KEYS.items():
            object.__setattr__(self, attribute(name), _resolve(key, config, overrides)[0])

    def log_config(self) -> LogConfig:
        """The part that a log needs to know."""
        return LogConfig(**{f.name: getattr(self, f.name) for f in fields(LogConfig)})


def topic_value(config: Config, overrides: Mapping[str, str], name: str) -> Value:
    """One setting, for who needs no more than that of many topics."""
    return _resolve(TOPIC_KEYS[name], config, overrides)[0]


def check_topic_configs(configs: Mapping[str, str]) -> None:
    """Raise `ApiError` INVALID_CONFIG unless a topic may have these settings."""
    values = {name: _checked(name, text) for name, text in configs.items()}
    if values.get(REMOTE_STORAGE_ENABLE):
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            "Tiered Storage functionality is disabled in the broker. Topic cannot be configured "
            "with remote log storage.",
        )
    shortest, longest = values.get("min.compaction.lag.ms"), values.get("max.compaction.lag.ms")
    if isinstance(shortest, int) and isinstance(longest, int) and shortest > longest:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            f"conflict topic config setting min.compaction.lag.ms ({shortest}) > "
            f"max.compaction.lag.ms ({longest})",
        )


def describe_topic(config: Config, overrides: Mapping[str, str]) -> list[ConfigEntry]:
    """All keys of a topic, for DescribeConfigs."""
    return [
        *(_describe(key, config, overrides) for key in TOPIC_KEYS.values()),
        *(key.describe(overrides) for key in IDLE_TOPIC_KEYS.values()),
    ]


def _checked(name: str, text: str) -> Value:
    key = TOPIC_KEYS.get(name) or IDLE_TOPIC_KEYS.get(name)
    if key is None:
        raise ApiError(ErrorCode.INVALID_CONFIG, f"Unknown topic config name: {name}")
    try:
        return key.kind.parse(text)
    except Unfit:
        raise ApiError(ErrorCode.INVALID_CONFIG, invalid_value(name, key.kind, text)) from None


# Kafka's words for words that are added to a key of a topic which holds no list.
NOT_A_LIST = "Can't {OPERATION} to key {name} because its type is not LIST."


def list_value(config: Config, overrides: Mapping[str, str], name: str) -> tuple[str, ...] | None:
    """The words of a list of a topic, set on it or not; None for a key that holds no list."""
    key = TOPIC_KEYS.get(name) or IDLE_TOPIC_KEYS.get(name)
    if key is None or key.kind.config_type is not ConfigType.LIST:
        return None
    if isinstance(key, TopicKey):
        value, _ = _resolve(key, config, overrides)
    else:
        value = key.value(overrides)
    assert isinstance(value, tuple)
    return value


def _resolve(
    key: TopicKey, config: Config, overrides: Mapping[str, str]
) -> tuple[Value, ConfigSource]:
    """The value of a topic key and where it comes from."""
    if key.name in overrides:
        return key.kind.parse(overrides[key.name]), ConfigSource.DYNAMIC_TOPIC
    for broker_key, factor in key.synonyms:
        value = config.value(broker_key)
        if value is None:
            continue
        if factor != 1:
            assert isinstance(value, int)
            value = value * factor if value > 0 else value  # -1 hours is for ever, too
        return value, config.source(broker_key)
    raise AssertionError(f"{key.name}: the last synonym always has a value")


def _describe(key: TopicKey, config: Config, overrides: Mapping[str, str]) -> ConfigEntry:
    value, source = _resolve(key, config, overrides)
    synonyms = [
        synonym
        for broker_key, _ in key.synonyms
        for synonym in config.synonyms(broker_key)
        if synonym.value is not None
    ]
    if source is ConfigSource.DYNAMIC_TOPIC:
        synonyms.insert(0, ConfigSynonym(key.name, written(value), source))
    return ConfigEntry(
        name=key.name,
        value=written(value),
        source=source,
        config_type=key.kind.config_type,
        synonyms=synonyms,
        documentation=key.documentation,
        read_only=False,
    )

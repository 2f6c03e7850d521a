"""A topic's configuration: its own settings over those of the broker.

A topic key that is not set takes the value of the broker's keys: ``segment.ms`` is ``log.roll.ms``
if that is set, else ``log.roll.hours`` in milliseconds (Kafka's ``ServerTopicConfigSynonyms``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType

from broker.common.errors import ApiError
from broker.common.java_hash import in_checked_order
from broker.config import Config, attribute
from broker.config.entry import ConfigEntry, ConfigSource, ConfigSynonym
from broker.config.kinds import (
    ConfigType,
    InvalidValue,
    ReplicaList,
    Value,
    format_value,
    int32,
    int64,
)
from broker.config.refusals import invalid_value
from broker.config.topic_key import METADATA, TopicKey, internal_topic_key, own_topic_key, topic_key
from broker.config.topic_key_order import TOPIC_KEY_ORDER
from broker.config.unused_topic_keys import KEYS as UNUSED_KEYS
from broker.config.unused_topic_keys import REMOTE_STORAGE_ENABLE
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

_MINUTE_MS = 60_000
_HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class TopicConfig:
    """All settings of a topic that this broker uses, one attribute for each key, as in `Config`."""

    cleanup_policy: tuple[str, ...] = topic_key("cleanup.policy", "log.cleanup.policy")
    compression_gzip_level: int = topic_key("compression.gzip.level", "compression.gzip.level")
    compression_lz4_level: int = topic_key("compression.lz4.level", "compression.lz4.level")
    compression_type: str = topic_key("compression.type", "compression.type")
    compression_zstd_level: int = topic_key("compression.zstd.level", "compression.zstd.level")
    delete_retention_ms: int = topic_key("delete.retention.ms", "log.cleaner.delete.retention.ms")
    file_delete_delay_ms: int = topic_key("file.delete.delay.ms", "log.segment.delete.delay.ms")
    flush_messages: int = topic_key("flush.messages", "log.flush.interval.messages")
    flush_ms: int = topic_key(
        "flush.ms", "log.flush.interval.ms", "log.flush.scheduler.interval.ms", kind=int64(0)
    )
    follower_replication_throttled_replicas: tuple[str, ...] = own_topic_key(
        "follower.replication.throttled.replicas",
        ReplicaList(),
        (),
        "The replicas to which follower.replication.throttled.rate applies.",
    )
    index_interval_bytes: int = topic_key("index.interval.bytes", "log.index.interval.bytes")
    internal_segment_bytes: int | None = internal_topic_key(
        "internal.segment.bytes",
        int32(),
        "The largest size of a segment in place of segment.bytes, without its lower limit.",
    )
    leader_replication_throttled_replicas: tuple[str, ...] = own_topic_key(
        "leader.replication.throttled.replicas",
        ReplicaList(),
        (),
        "The replicas to whose leader leader.replication.throttled.rate applies.",
    )
    max_compaction_lag_ms: int = topic_key(
        "max.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"
    )
    max_message_bytes: int = topic_key("max.message.bytes", "message.max.bytes")
    message_timestamp_after_max_ms: int = topic_key(
        "message.timestamp.after.max.ms", "log.message.timestamp.after.max.ms"
    )
    message_timestamp_before_max_ms: int = topic_key(
        "message.timestamp.before.max.ms", "log.message.timestamp.before.max.ms"
    )
    message_timestamp_type: str = topic_key("message.timestamp.type", "log.message.timestamp.type")
    min_cleanable_dirty_ratio: float = topic_key(
        "min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio"
    )
    min_compaction_lag_ms: int = topic_key(
        "min.compaction.lag.ms", "log.cleaner.min.compaction.lag.ms"
    )
    min_insync_replicas: int = topic_key("min.insync.replicas", "min.insync.replicas")
    retention_bytes: int = topic_key("retention.bytes", "log.retention.bytes")
    retention_ms: int = topic_key(
        "retention.ms",
        "log.retention.ms",
        ("log.retention.minutes", _MINUTE_MS),
        ("log.retention.hours", _HOUR_MS),
        kind=int64(-1),
    )
    segment_bytes: int = topic_key("segment.bytes", "log.segment.bytes")
    segment_index_bytes: int = topic_key("segment.index.bytes", "log.index.size.max.bytes")
    segment_jitter_ms: int = topic_key(
        "segment.jitter.ms", "log.roll.jitter.ms", ("log.roll.jitter.hours", _HOUR_MS)
    )
    segment_ms: int = topic_key("segment.ms", "log.roll.ms", ("log.roll.hours", _HOUR_MS))
    unclean_leader_election_enable: bool = topic_key(
        "unclean.leader.election.enable", "unclean.leader.election.enable"
    )

    def __init__(self, config: Config, overrides: Mapping[str, str]) -> None:
        """Resolve *overrides*, which `check_topic_configs` has accepted, against *config*."""
        for key in _DECLARED:
            object.__setattr__(self, attribute(key.name), _resolve(key, config, overrides))


_DECLARED: tuple[TopicKey, ...] = tuple(each.metadata[METADATA] for each in fields(TopicConfig))
TOPIC_KEYS: Mapping[str, TopicKey] = MappingProxyType(
    {key.name: key for key in (*_DECLARED, *UNUSED_KEYS)}
)
assert TOPIC_KEYS.keys() == set(TOPIC_KEY_ORDER), "each key has a place in the order"


def topic_value(config: Config, overrides: Mapping[str, str], name: str) -> Value:
    """One setting: cheaper than a `TopicConfig`."""
    return _resolve(TOPIC_KEYS[name], config, overrides)


def check_topic_configs(configs: Mapping[str, str]) -> None:
    """Raise `ApiError` INVALID_CONFIG unless these settings are valid for a topic."""
    # Kafka checks all names before the values, and keeps them in a hash table.
    for name in in_checked_order(configs):
        if name not in TOPIC_KEYS:
            raise ApiError(ErrorCode.INVALID_CONFIG, f"Unknown topic config name: {name}")
    values = {
        name: _checked(TOPIC_KEYS[name], configs[name])
        for name in TOPIC_KEY_ORDER
        if name in configs
    }
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
    """All keys of a topic for DescribeConfigs, internal ones if they are set."""
    shown = (each for each in TOPIC_KEYS.values() if not each.internal or each.name in overrides)
    return [_describe(key, config, overrides) for key in shown]


def _checked(key: TopicKey, text: str) -> Value:
    try:
        return key.kind.parse(text)
    except InvalidValue:
        raise ApiError(ErrorCode.INVALID_CONFIG, invalid_value(key.name, key.kind, text)) from None


# Kafka's message for APPEND or SUBTRACT on a topic key that is not a list.
NOT_A_LIST = "Can't {OPERATION} to key {name} because its type is not LIST."


def list_value(config: Config, overrides: Mapping[str, str], name: str) -> tuple[str, ...] | None:
    """The elements of a list key of a topic; None for a key that is not a list."""
    key = TOPIC_KEYS.get(name)
    if key is None or key.kind.config_type is not ConfigType.LIST:
        return None
    value = _resolve(key, config, overrides)
    assert isinstance(value, tuple)
    return value


def _resolve(key: TopicKey, config: Config, overrides: Mapping[str, str]) -> Value:
    """The value of a topic key."""
    if key.name in overrides:
        return key.kind.parse(overrides[key.name])
    for broker_key, factor in key.synonyms:
        value = config.value(broker_key)
        if value is None:
            continue
        if factor != 1:
            assert isinstance(value, int)
            value = value * factor if value > 0 else value  # -1 is no limit in every unit
        return value
    assert not key.synonyms, "the last synonym always has a value"
    return key.default


def _describe(key: TopicKey, config: Config, overrides: Mapping[str, str]) -> ConfigEntry:
    """A key as in ``ConfigHelper.createTopicConfigEntry``, which lists the first synonym only."""
    value = format_value(_resolve(key, config, overrides))
    synonyms = config.synonyms(key.synonyms[0][0]) if key.synonyms else []
    if key.name in overrides:
        synonyms.insert(0, ConfigSynonym(key.name, value, ConfigSource.DYNAMIC_TOPIC))
    return ConfigEntry(
        name=key.name,
        value=value,
        source=synonyms[0].source if synonyms else ConfigSource.DEFAULT,
        config_type=key.kind.config_type,
        synonyms=synonyms,
        documentation=key.documentation,
        read_only=False,
    )

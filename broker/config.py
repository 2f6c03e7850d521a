"""The broker's configuration: every limit and default, under Kafka's own names.

An attribute is named as Kafka's key with underscores for its dots and dashes, so
``fetch.max.bytes`` is ``config.fetch_max_bytes``; ``None`` is a key that has no value, whose
less precise sister then counts (``log.roll.ms``, ``log.roll.hours``). What each key means and may
be stands in `broker.config_keys`; so does, where a default is not Kafka's, the reason.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from broker.config_advice import NOT_HERE
from broker.config_entry import ConfigEntry, ConfigSource, ConfigSynonym
from broker.config_keys import KEYS
from broker.config_kinds import INT_MAX, LONG_MAX, ConfigType, Unfit, Value, written
from broker.dynamic_keys import may_change
from broker.errors import StartupError


class ConfigError(StartupError):
    """A setting that cannot be: one line with its key, what was given and what is allowed."""


class Setting(NamedTuple):
    """A key and its value as a user wrote them, and where."""

    key: str
    value: str
    origin: str


@dataclass(slots=True, kw_only=True)
class Config:
    """All settings of a broker; ``Config()`` has the defaults.

    Only `reconfigure` changes one: whoever holds it reads the new values from then on.
    """

    # Connections and requests
    socket_request_max_bytes: int = 104_857_600  # socket.request.max.bytes
    connections_max_idle_ms: int = 600_000  # connections.max.idle.ms
    max_connections: int = INT_MAX  # max.connections
    max_connections_per_ip: int = INT_MAX  # max.connections.per.ip
    max_connections_per_ip_overrides: str = ""  # max.connections.per.ip.overrides
    max_connection_creation_rate: int = INT_MAX  # max.connection.creation.rate
    quota_window_num: int = 11  # quota.window.num
    quota_window_size_seconds: int = 1  # quota.window.size.seconds
    queued_max_requests: int = 500  # queued.max.requests
    queued_max_request_bytes: int = -1  # queued.max.request.bytes
    fetch_max_bytes: int = 57_671_680  # fetch.max.bytes
    max_incremental_fetch_session_cache_slots: int = (
        1000  # max.incremental.fetch.session.cache.slots
    )
    max_request_partition_size_limit: int = 2000  # max.request.partition.size.limit

    # Topics
    auto_create_topics_enable: bool = True  # auto.create.topics.enable
    delete_topic_enable: bool = True  # delete.topic.enable
    num_partitions: int = 1  # num.partitions
    default_replication_factor: int = 1  # default.replication.factor
    min_insync_replicas: int = 1  # min.insync.replicas
    unclean_leader_election_enable: bool = False  # unclean.leader.election.enable
    unclean_leader_election_interval_ms: int = 300_000  # unclean.leader.election.interval.ms
    auto_leader_rebalance_enable: bool = True  # auto.leader.rebalance.enable
    leader_imbalance_check_interval_seconds: int = 300  # leader.imbalance.check.interval.seconds

    # Records
    message_max_bytes: int = 1_048_588  # message.max.bytes
    log_message_timestamp_type: str = "CreateTime"  # log.message.timestamp.type
    log_message_timestamp_before_max_ms: int = LONG_MAX  # log.message.timestamp.before.max.ms
    log_message_timestamp_after_max_ms: int = 3_600_000  # log.message.timestamp.after.max.ms
    compression_type: str = "producer"  # compression.type
    compression_gzip_level: int = -1  # compression.gzip.level
    compression_lz4_level: int = 9  # compression.lz4.level
    compression_zstd_level: int = 3  # compression.zstd.level

    # Segments and indexes
    log_segment_bytes: int = 1_073_741_824  # log.segment.bytes
    log_roll_ms: int | None = None  # log.roll.ms
    log_roll_hours: int = 168  # log.roll.hours
    log_roll_jitter_ms: int | None = None  # log.roll.jitter.ms
    log_roll_jitter_hours: int = 0  # log.roll.jitter.hours
    log_index_interval_bytes: int = 4096  # log.index.interval.bytes
    log_index_size_max_bytes: int = 10_485_760  # log.index.size.max.bytes
    log_preallocate: bool = False  # log.preallocate
    log_segment_delete_delay_ms: int = 60_000  # log.segment.delete.delay.ms

    # Flushing
    log_flush_interval_messages: int = LONG_MAX  # log.flush.interval.messages
    log_flush_interval_ms: int | None = None  # log.flush.interval.ms
    log_flush_scheduler_interval_ms: int = LONG_MAX  # log.flush.scheduler.interval.ms
    log_flush_offset_checkpoint_interval_ms: int = 60_000  # log.flush.offset.checkpoint.interval.ms
    log_flush_start_offset_checkpoint_interval_ms: int = (
        60_000  # log.flush.start.offset.checkpoint.interval.ms
    )

    # Retention and compaction
    log_retention_ms: int | None = None  # log.retention.ms
    log_retention_minutes: int | None = None  # log.retention.minutes
    log_retention_hours: int = 168  # log.retention.hours
    log_retention_bytes: int = -1  # log.retention.bytes
    log_retention_check_interval_ms: int = 300_000  # log.retention.check.interval.ms
    log_initial_task_delay_ms: int = 30_000  # log.initial.task.delay.ms
    log_cleanup_policy: tuple[str, ...] = ("delete",)  # log.cleanup.policy
    log_cleaner_backoff_ms: int = 15_000  # log.cleaner.backoff.ms
    log_cleaner_delete_retention_ms: int = 86_400_000  # log.cleaner.delete.retention.ms
    log_cleaner_min_cleanable_ratio: float = 0.5  # log.cleaner.min.cleanable.ratio
    log_cleaner_min_compaction_lag_ms: int = 0  # log.cleaner.min.compaction.lag.ms
    log_cleaner_max_compaction_lag_ms: int = LONG_MAX  # log.cleaner.max.compaction.lag.ms

    # Purgatories
    fetch_purgatory_purge_interval_requests: int = 1000  # fetch.purgatory.purge.interval.requests
    producer_purgatory_purge_interval_requests: int = (
        1000  # producer.purgatory.purge.interval.requests
    )
    delete_records_purgatory_purge_interval_requests: int = (
        1  # delete.records.purgatory.purge.interval.requests
    )

    # Replication
    replica_lag_time_max_ms: int = 30_000  # replica.lag.time.max.ms
    replica_fetch_max_bytes: int = 1_048_576  # replica.fetch.max.bytes
    replica_fetch_response_max_bytes: int = 10_485_760  # replica.fetch.response.max.bytes
    replica_fetch_min_bytes: int = 1  # replica.fetch.min.bytes
    replica_fetch_wait_max_ms: int = 500  # replica.fetch.wait.max.ms
    replica_fetch_backoff_ms: int = 1000  # replica.fetch.backoff.ms
    replica_high_watermark_checkpoint_interval_ms: int = (
        5000  # replica.high.watermark.checkpoint.interval.ms
    )

    # Groups and their offsets
    group_min_session_timeout_ms: int = 6000  # group.min.session.timeout.ms
    group_max_session_timeout_ms: int = 1_800_000  # group.max.session.timeout.ms
    group_initial_rebalance_delay_ms: int = 0  # group.initial.rebalance.delay.ms
    group_max_size: int = INT_MAX  # group.max.size
    group_consumer_assignors: tuple[str, ...] = ("uniform", "range")  # group.consumer.assignors
    group_consumer_session_timeout_ms: int = 45_000  # group.consumer.session.timeout.ms
    group_consumer_min_session_timeout_ms: int = 45_000  # group.consumer.min.session.timeout.ms
    group_consumer_max_session_timeout_ms: int = 60_000  # group.consumer.max.session.timeout.ms
    group_consumer_heartbeat_interval_ms: int = 5000  # group.consumer.heartbeat.interval.ms
    group_consumer_min_heartbeat_interval_ms: int = 5000  # group.consumer.min.heartbeat.interval.ms
    group_consumer_max_heartbeat_interval_ms: int = (
        15_000  # group.consumer.max.heartbeat.interval.ms
    )
    group_consumer_assignment_interval_ms: int = 0  # group.consumer.assignment.interval.ms
    group_consumer_min_assignment_interval_ms: int = 0  # group.consumer.min.assignment.interval.ms
    group_consumer_max_assignment_interval_ms: int = (
        15_000  # group.consumer.max.assignment.interval.ms
    )
    group_consumer_max_size: int = INT_MAX  # group.consumer.max.size
    group_consumer_migration_policy: str = "bidirectional"  # group.consumer.migration.policy
    offset_metadata_max_bytes: int = 4096  # offset.metadata.max.bytes
    offsets_commit_timeout_ms: int = 5000  # offsets.commit.timeout.ms
    offsets_retention_minutes: int = 10_080  # offsets.retention.minutes
    offsets_retention_check_interval_ms: int = 600_000  # offsets.retention.check.interval.ms
    offsets_topic_num_partitions: int = 4  # offsets.topic.num.partitions
    offsets_topic_replication_factor: int = 3  # offsets.topic.replication.factor
    offsets_topic_segment_bytes: int = 104_857_600  # offsets.topic.segment.bytes

    # Producers and transactions
    producer_id_expiration_ms: int = 86_400_000  # producer.id.expiration.ms
    producer_id_expiration_check_interval_ms: int = (
        600_000  # producer.id.expiration.check.interval.ms
    )
    transactional_id_expiration_ms: int = 604_800_000  # transactional.id.expiration.ms
    transaction_max_timeout_ms: int = 900_000  # transaction.max.timeout.ms
    transaction_state_log_num_partitions: int = 4  # transaction.state.log.num.partitions
    transaction_state_log_replication_factor: int = 3  # transaction.state.log.replication.factor
    transaction_state_log_min_isr: int = 2  # transaction.state.log.min.isr
    transaction_state_log_segment_bytes: int = 104_857_600  # transaction.state.log.segment.bytes

    # What the user set himself, as he wrote it; the rest are defaults.
    given: Mapping[str, str] = field(default_factory=dict, repr=False)
    # What was set while the broker runs: on this node, and on all nodes.
    own: Mapping[str, str] = field(default_factory=dict, repr=False)
    shared: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def from_settings(cls, settings: Iterable[Setting]) -> Config:
        """The defaults with *settings* over them, later ones winning; raises `ConfigError`."""
        values: dict[str, Any] = {}
        latest = {setting.key: setting for setting in settings}
        for setting in latest.values():
            values[attribute(setting.key)] = _read(setting)
        config = cls(**values, given={setting.key: setting.value for setting in latest.values()})
        _check_together(config, latest)
        return config

    def value(self, key: str) -> Value:
        """The value of a key by Kafka's name of it."""
        value: Value = getattr(self, attribute(key))
        return value

    def reconfigure(self, own: Mapping[str, str], shared: Mapping[str, str]) -> None:
        """Take over what was set while the broker runs; `broker.dynamic_config` has accepted it."""
        touched = {*self.own, *self.shared, *own, *shared} & KEYS.keys()
        self.own, self.shared = own, shared
        for key in touched:
            text = next((level[key] for _, level in self._levels() if key in level), None)
            value = DEFAULTS[key] if text is None else KEYS[key].kind.parse(text)
            setattr(self, attribute(key), value)

    def source(self, key: str) -> ConfigSource:
        """Where the value of a key comes from."""
        given = (source for source, level in self._levels() if key in level)
        return next(given, ConfigSource.DEFAULT)

    def synonyms(self, key: str) -> list[ConfigSynonym]:
        """The values that a key has been given and the default, as DescribeConfigs lists them."""
        kind = KEYS[key].kind
        found = [
            ConfigSynonym(key, written(kind.parse(level[key])), source)
            for source, level in self._levels()
            if key in level
        ]
        return [*found, ConfigSynonym(key, written(DEFAULTS[key]), ConfigSource.DEFAULT)]

    def describe(self) -> list[ConfigEntry]:
        """All keys, for DescribeConfigs of a broker."""
        unknown = dict.fromkeys([*self.own, *self.shared])
        return [
            *(self._entry(name) for name in KEYS),
            *(_unknown_entry(name, self.own) for name in unknown if name not in KEYS),
        ]

    def describe_shared(self) -> list[ConfigEntry]:
        """What was set on all nodes while the broker runs, and nothing else."""
        source = ConfigSource.DYNAMIC_DEFAULT_BROKER
        entries = []
        for name, text in self.shared.items():
            entry = self._entry(name) if name in KEYS else _unknown_entry(name, {})
            synonym = ConfigSynonym(name, None if entry.sensitive else text, source)
            value = synonym.value
            entries.append(replace(entry, value=value, source=source, synonyms=[synonym]))
        return entries

    def _levels(self) -> tuple[tuple[ConfigSource, Mapping[str, str]], ...]:
        """Where a value may come from; the first place that has one counts (KIP-226)."""
        return (
            (ConfigSource.DYNAMIC_BROKER, self.own),
            (ConfigSource.DYNAMIC_DEFAULT_BROKER, self.shared),
            (ConfigSource.STATIC_BROKER, self.given),
        )

    def _entry(self, name: str) -> ConfigEntry:
        key = KEYS[name]
        return ConfigEntry(
            name=name,
            value=written(self.value(name)),
            source=self.source(name),
            config_type=key.kind.config_type,
            synonyms=[each for each in self.synonyms(name) if each.value is not None],
            documentation=key.documentation,
            read_only=not may_change(name),
        )


def parse_config(given: Mapping[str, str], origin: str = "-c") -> Config:
    """The defaults with the values of a mapping over them; raises `ConfigError`."""
    return Config.from_settings(Setting(key, value, origin) for key, value in given.items())


def attribute(key: str) -> str:
    """The attribute of `Config` that holds a key."""
    return key.replace(".", "_")


def _unknown_entry(name: str, own: Mapping[str, str]) -> ConfigEntry:
    """A key that nobody knows may be a secret, so its value is not told (as Kafka)."""
    source = ConfigSource.DYNAMIC_BROKER if name in own else ConfigSource.DYNAMIC_DEFAULT_BROKER
    return ConfigEntry(
        name=name,
        value=None,
        source=source,
        config_type=ConfigType.UNKNOWN,
        synonyms=[ConfigSynonym(name, None, source)],
        documentation="",
        read_only=False,
        sensitive=True,
    )


_DEFAULT_OF = {field.name: field.default for field in fields(Config)}
DEFAULTS: Mapping[str, Any] = MappingProxyType({key: _DEFAULT_OF[attribute(key)] for key in KEYS})


def _read(setting: Setting) -> Value:
    key = KEYS.get(setting.key)
    if key is None:
        raise ConfigError(f"{setting.origin}: {_unknown(setting.key)}")
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

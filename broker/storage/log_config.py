"""The configuration of one log: the topic keys that storage uses (Kafka's ``LogConfig``)."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from broker.config.topics import TopicConfig
from protocol.compression import Codec
from protocol.lazy_dataclass import dataclass

_LONG_MAX: Final = 2**63 - 1

# The values of `compression.type`. None: each batch keeps its producer's codec.
TARGET_CODECS: Final[dict[str, Codec | None]] = {
    "producer": None,
    "uncompressed": Codec.NONE,
    "gzip": Codec.GZIP,
    "snappy": Codec.SNAPPY,
    "lz4": Codec.LZ4,
    "zstd": Codec.ZSTD,
}


@dataclass(frozen=True, slots=True)
class LogConfig:
    """The configuration of a log; ``LogConfig()`` has Kafka's defaults."""

    cleanup_policy: tuple[str, ...] = ("delete",)  # cleanup.policy
    compression_type: str = "producer"  # compression.type
    compression_gzip_level: int = -1  # compression.gzip.level
    compression_lz4_level: int = 9  # compression.lz4.level
    compression_zstd_level: int = 3  # compression.zstd.level
    delete_retention_ms: int = 86_400_000  # delete.retention.ms
    file_delete_delay_ms: int = 60_000  # file.delete.delay.ms
    flush_messages: int = _LONG_MAX  # flush.messages
    flush_ms: int = _LONG_MAX  # flush.ms
    # follower.replication.throttled.replicas
    follower_replication_throttled_replicas: tuple[str, ...] = ()
    index_interval_bytes: int = 4096  # index.interval.bytes
    # leader.replication.throttled.replicas
    leader_replication_throttled_replicas: tuple[str, ...] = ()
    max_compaction_lag_ms: int = _LONG_MAX  # max.compaction.lag.ms
    max_message_bytes: int = 1_048_588  # max.message.bytes
    message_timestamp_after_max_ms: int = 3_600_000  # message.timestamp.after.max.ms
    message_timestamp_before_max_ms: int = _LONG_MAX  # message.timestamp.before.max.ms
    message_timestamp_type: str = "CreateTime"  # message.timestamp.type
    min_cleanable_dirty_ratio: float = 0.5  # min.cleanable.dirty.ratio
    min_compaction_lag_ms: int = 0  # min.compaction.lag.ms
    retention_bytes: int = -1  # retention.bytes
    retention_ms: int = 604_800_000  # retention.ms
    segment_bytes: int = 1_073_741_824  # segment.bytes
    segment_index_bytes: int = 10_485_760  # segment.index.bytes
    segment_jitter_ms: int = 0  # segment.jitter.ms
    segment_ms: int = 604_800_000  # segment.ms

    @classmethod
    def from_topic(cls, topic: TopicConfig) -> LogConfig:
        """The settings of a topic that its logs use."""
        settings = {each.name: getattr(topic, each.name) for each in fields(cls)}
        if topic.internal_segment_bytes is not None:
            settings["segment_bytes"] = topic.internal_segment_bytes
        return cls(**settings)

    @property
    def is_compacted(self) -> bool:
        """Whether every record needs a key."""
        return "compact" in self.cleanup_policy

    @property
    def max_segment_ms(self) -> int:
        """The maximum age of the active segment, which compaction may limit (KIP-354)."""
        lag_ms = self.max_compaction_lag_ms
        return lag_ms if 0 < lag_ms < self.segment_ms and self.is_compacted else self.segment_ms

    @property
    def uses_log_append_time(self) -> bool:
        """Whether records get the broker's time instead of the producer's."""
        return self.message_timestamp_type == "LogAppendTime"

    def compression_level(self, codec: int) -> int | None:
        """The compression level for *codec*; None for its default."""
        level = {
            Codec.GZIP: self.compression_gzip_level,
            Codec.LZ4: self.compression_lz4_level,
            Codec.ZSTD: self.compression_zstd_level,
        }.get(Codec(codec))
        # -1 is gzip's default.
        return None if codec == Codec.GZIP and level == -1 else level

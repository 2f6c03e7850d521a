"""Keys of records and their compression."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.kinds import LONG_MAX, OneOf, int32, int64
from protocol.lazy_dataclass import dataclass

COMPRESSION_TYPES = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")


@dataclass(kw_only=True)
class RecordKeys:
    """Keys of records and their compression."""

    message_max_bytes: int = key(
        "message.max.bytes",
        int32(0),
        1_048_588,
        "The largest record batch that a producer may send, in bytes after compression.",
        update_mode=CLUSTER_WIDE,
    )
    log_message_timestamp_type: str = key(
        "log.message.timestamp.type",
        OneOf(("CreateTime", "LogAppendTime")),
        "CreateTime",
        "Whether records have the producer's timestamp or the time of the append.",
        update_mode=CLUSTER_WIDE,
    )
    log_message_timestamp_before_max_ms: int = key(
        "log.message.timestamp.before.max.ms",
        int64(0),
        LONG_MAX,
        "How far a producer's timestamp may be in the past.",
        update_mode=CLUSTER_WIDE,
    )
    log_message_timestamp_after_max_ms: int = key(
        "log.message.timestamp.after.max.ms",
        int64(0),
        3_600_000,
        "How far a producer's timestamp may be in the future.",
        update_mode=CLUSTER_WIDE,
    )
    compression_type: str = key(
        "compression.type",
        OneOf(COMPRESSION_TYPES),
        "producer",
        "The compression of stored batches; 'producer' keeps the producer's.",
        update_mode=CLUSTER_WIDE,
    )
    compression_gzip_level: int = key(
        "compression.gzip.level",
        int32(1, 9, also=-1),
        -1,
        "The level of gzip where the broker compresses; -1: gzip's default.",
        update_mode=CLUSTER_WIDE,
    )
    compression_lz4_level: int = key(
        "compression.lz4.level",
        int32(1, 17),
        9,
        "The level of lz4 where the broker compresses.",
        update_mode=CLUSTER_WIDE,
    )
    compression_zstd_level: int = key(
        "compression.zstd.level",
        int32(-131_072, 22),
        3,
        "The level of zstd where the broker compresses.",
        update_mode=CLUSTER_WIDE,
    )

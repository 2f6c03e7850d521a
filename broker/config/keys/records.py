"""Keys of records and how they are compressed."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import ANYWHERE, key
from broker.config.kinds import LONG_MAX, OneOf, int32, int64

COMPRESSION_TYPES = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")


@dataclass(kw_only=True)
class RecordKeys:
    """Keys of records and how they are compressed."""

    message_max_bytes: int = key(
        "message.max.bytes",
        int32(0),
        1_048_588,
        "The largest record batch a producer may send, compressed as it comes.",
        change=ANYWHERE,
    )
    log_message_timestamp_type: str = key(
        "log.message.timestamp.type",
        OneOf(("CreateTime", "LogAppendTime")),
        "CreateTime",
        "Whether a record bears its producer's time or that of its append.",
        change=ANYWHERE,
    )
    log_message_timestamp_before_max_ms: int = key(
        "log.message.timestamp.before.max.ms",
        int64(0),
        LONG_MAX,
        "How far a producer's timestamp may lie in the past.",
        change=ANYWHERE,
    )
    log_message_timestamp_after_max_ms: int = key(
        "log.message.timestamp.after.max.ms",
        int64(0),
        3_600_000,
        "How far a producer's timestamp may lie in the future.",
        change=ANYWHERE,
    )
    compression_type: str = key(
        "compression.type",
        OneOf(COMPRESSION_TYPES),
        "producer",
        "How batches are stored; 'producer' keeps them as they came.",
        change=ANYWHERE,
    )
    compression_gzip_level: int = key(
        "compression.gzip.level",
        int32(1, 9, also=-1),
        -1,
        "The effort of gzip where the broker compresses; -1: gzip's own default.",
        change=ANYWHERE,
    )
    compression_lz4_level: int = key(
        "compression.lz4.level",
        int32(1, 17),
        9,
        "The effort of lz4 where the broker compresses.",
        change=ANYWHERE,
    )
    compression_zstd_level: int = key(
        "compression.zstd.level",
        int32(-131_072, 22),
        3,
        "The effort of zstd where the broker compresses.",
        change=ANYWHERE,
    )

"""Keys of log segments and their indexes."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.kinds import int32, int64
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class SegmentKeys:
    """Keys of log segments and their indexes."""

    log_segment_bytes: int = key(
        "log.segment.bytes",
        int32(1_048_576),
        1_073_741_824,
        "The size at which a log starts a new segment.",
        update_mode=CLUSTER_WIDE,
    )
    log_roll_ms: int | None = key(
        "log.roll.ms",
        int64(1),
        None,
        "The age at which a log starts a new segment; if it is not set, log.roll.hours applies.",
        update_mode=CLUSTER_WIDE,
    )
    log_roll_hours: int = key(
        "log.roll.hours", int32(1), 168, "The age in hours at which a log starts a new segment."
    )
    log_roll_jitter_ms: int | None = key(
        "log.roll.jitter.ms",
        int64(0),
        None,
        "The most that is subtracted at random from log.roll.ms, so that logs do not roll at the "
        "same time; if it is not set, log.roll.jitter.hours applies.",
        update_mode=CLUSTER_WIDE,
    )
    log_roll_jitter_hours: int = key(
        "log.roll.jitter.hours", int32(0), 0, "As log.roll.jitter.ms, in hours."
    )
    log_index_interval_bytes: int = key(
        "log.index.interval.bytes",
        int32(0),
        4096,
        "The bytes of a log between two index entries.",
        update_mode=CLUSTER_WIDE,
    )
    log_index_size_max_bytes: int = key(
        "log.index.size.max.bytes",
        int32(4),
        10_485_760,
        "The size at which an index is full.",
        update_mode=CLUSTER_WIDE,
    )
    log_segment_delete_delay_ms: int = key(
        "log.segment.delete.delay.ms",
        int64(0),
        60_000,
        "How long the files of a deleted segment are kept for readers.",
        update_mode=CLUSTER_WIDE,
    )

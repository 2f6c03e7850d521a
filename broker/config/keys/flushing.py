"""Keys of flushing logs to disk."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.kinds import LONG_MAX, int32, int64
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class FlushKeys:
    """Keys of flushing logs to disk."""

    log_flush_interval_messages: int = key(
        "log.flush.interval.messages",
        int64(1),
        LONG_MAX,
        "The number of records after which a log is flushed to disk.",
        update_mode=CLUSTER_WIDE,
    )
    log_flush_interval_ms: int | None = key(
        "log.flush.interval.ms",
        int64(),
        None,
        "The time after which a log is flushed to disk; if it is not set, "
        "log.flush.scheduler.interval.ms applies.",
        update_mode=CLUSTER_WIDE,
    )
    log_flush_scheduler_interval_ms: int = key(
        "log.flush.scheduler.interval.ms",
        int64(),
        LONG_MAX,
        "How often the broker checks which logs are due to be flushed.",
    )
    log_flush_offset_checkpoint_interval_ms: int = key(
        "log.flush.offset.checkpoint.interval.ms",
        int32(0),
        60_000,
        "How often the recovery points of logs are checkpointed.",
    )
    log_flush_start_offset_checkpoint_interval_ms: int = key(
        "log.flush.start.offset.checkpoint.interval.ms",
        int32(0),
        60_000,
        "How often the start offsets of logs are checkpointed.",
    )

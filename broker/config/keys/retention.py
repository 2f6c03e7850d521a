"""Keys of retention and compaction."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.kinds import LONG_MAX, Boolean, Decimal, ListOf, int32, int64
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class RetentionKeys:
    """Keys of retention and compaction."""

    log_retention_ms: int | None = key(
        "log.retention.ms",
        int64(1, also=-1),
        None,
        "The age at which records may be deleted, -1: never; if it is not set, "
        "log.retention.minutes and then log.retention.hours apply.",
        update_mode=CLUSTER_WIDE,
    )
    log_retention_minutes: int | None = key(
        "log.retention.minutes", int32(1, also=-1), None, "As log.retention.ms, in minutes."
    )
    log_retention_hours: int = key(
        "log.retention.hours", int32(1, also=-1), 168, "As log.retention.ms, in hours."
    )
    log_retention_bytes: int = key(
        "log.retention.bytes",
        int64(),
        -1,
        "The size of a partition beyond which its oldest segments may be deleted; -1: no limit.",
        update_mode=CLUSTER_WIDE,
    )
    log_retention_check_interval_ms: int = key(
        "log.retention.check.interval.ms",
        int64(1),
        300_000,
        "How often the broker checks which segments may be deleted.",
    )
    log_initial_task_delay_ms: int = key(
        "log.initial.task.delay.ms",
        int64(0),
        30_000,
        "How long after the start the periodic tasks of logs begin.",
        internal=True,
    )
    log_cleanup_policy: tuple[str, ...] = key(
        "log.cleanup.policy",
        ListOf(("compact", "delete")),
        ("delete",),
        "Whether old segments are deleted, or logs are compacted, or both.",
        update_mode=CLUSTER_WIDE,
    )
    log_cleaner_enable: bool = key(
        "log.cleaner.enable",
        Boolean(),
        True,
        "Whether logs are compacted, and old segments of compacted logs deleted.",
    )
    log_cleaner_backoff_ms: int = key(
        "log.cleaner.backoff.ms",
        int64(0),
        15_000,
        "How long the cleaner waits when there is nothing to clean.",
        update_mode=CLUSTER_WIDE,
    )
    log_cleaner_delete_retention_ms: int = key(
        "log.cleaner.delete.retention.ms",
        int64(0),
        86_400_000,
        "How long a compacted log keeps tombstones.",
        update_mode=CLUSTER_WIDE,
    )
    log_cleaner_min_cleanable_ratio: float = key(
        "log.cleaner.min.cleanable.ratio",
        Decimal(0, 1),
        0.5,
        "The share of a log that must be uncleaned before it is compacted.",
        update_mode=CLUSTER_WIDE,
    )
    log_cleaner_min_compaction_lag_ms: int = key(
        "log.cleaner.min.compaction.lag.ms",
        int64(0),
        0,
        "The age before which compaction does not remove a record.",
        update_mode=CLUSTER_WIDE,
    )
    log_cleaner_max_compaction_lag_ms: int = key(
        "log.cleaner.max.compaction.lag.ms",
        int64(1),
        LONG_MAX,
        "The age at which a record becomes due for compaction.",
        update_mode=CLUSTER_WIDE,
    )

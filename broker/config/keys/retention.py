"""Keys of when records are deleted or compacted."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import ANYWHERE, key
from broker.config.kinds import LONG_MAX, Decimal, ListOf, int32, int64


@dataclass(kw_only=True)
class RetentionKeys:
    """Keys of when records are deleted or compacted."""

    log_retention_ms: int | None = key(
        "log.retention.ms",
        int64(1, also=-1),
        None,
        "The age at which records may be deleted, -1: never; without it log.retention.minutes "
        "and then log.retention.hours count.",
        change=ANYWHERE,
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
        change=ANYWHERE,
    )
    log_retention_check_interval_ms: int = key(
        "log.retention.check.interval.ms",
        int64(1),
        300_000,
        "How often it is looked which segments may be deleted.",
    )
    log_initial_task_delay_ms: int = key(
        "log.initial.task.delay.ms",
        int64(0),
        30_000,
        "How long after the start the logs' housekeeping begins.",
        internal=True,
    )
    log_cleanup_policy: tuple[str, ...] = key(
        "log.cleanup.policy",
        ListOf(("compact", "delete")),
        ("delete",),
        "Whether old records are deleted, or superseded ones compacted away, or both.",
        change=ANYWHERE,
    )
    log_cleaner_backoff_ms: int = key(
        "log.cleaner.backoff.ms",
        int64(0),
        15_000,
        "How long the cleaner rests when there is nothing to clean.",
        change=ANYWHERE,
    )
    log_cleaner_delete_retention_ms: int = key(
        "log.cleaner.delete.retention.ms",
        int64(0),
        86_400_000,
        "How long a compacted log keeps its tombstones.",
        change=ANYWHERE,
    )
    log_cleaner_min_cleanable_ratio: float = key(
        "log.cleaner.min.cleanable.ratio",
        Decimal(0, 1),
        0.5,
        "The share of a log that must be uncleaned for it to be compacted.",
        change=ANYWHERE,
    )
    log_cleaner_min_compaction_lag_ms: int = key(
        "log.cleaner.min.compaction.lag.ms",
        int64(0),
        0,
        "The age before which a record is not compacted away.",
        change=ANYWHERE,
    )
    log_cleaner_max_compaction_lag_ms: int = key(
        "log.cleaner.max.compaction.lag.ms",
        int64(1),
        LONG_MAX,
        "The age at which a record must be looked at by compaction.",
        change=ANYWHERE,
    )

"""Keys of when logs are forced to disk."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import ANYWHERE, key
from broker.config.kinds import LONG_MAX, int32, int64


@dataclass(kw_only=True)
class FlushKeys:
    """Keys of when logs are forced to disk."""

    log_flush_interval_messages: int = key(
        "log.flush.interval.messages",
        int64(1),
        LONG_MAX,
        "Records after which a log is forced to disk.",
        change=ANYWHERE,
    )
    log_flush_interval_ms: int | None = key(
        "log.flush.interval.ms",
        int64(),
        None,
        "Time after which a log is forced to disk; without it "
        "log.flush.scheduler.interval.ms counts.",
        change=ANYWHERE,
    )
    log_flush_scheduler_interval_ms: int = key(
        "log.flush.scheduler.interval.ms",
        int64(),
        LONG_MAX,
        "How often it is looked which logs must be forced to disk.",
    )
    log_flush_offset_checkpoint_interval_ms: int = key(
        "log.flush.offset.checkpoint.interval.ms",
        int32(0),
        60_000,
        "How often it is written down to where logs are safely on disk.",
    )
    log_flush_start_offset_checkpoint_interval_ms: int = key(
        "log.flush.start.offset.checkpoint.interval.ms",
        int32(0),
        60_000,
        "How often the logs' first offsets are written down.",
    )

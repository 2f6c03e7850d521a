"""Keys of followers and what they fetch."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import key
from broker.config.kinds import int32, int64


@dataclass(kw_only=True)
class ReplicationKeys:
    """Keys of followers and what they fetch."""

    replica_lag_time_max_ms: int = key(
        "replica.lag.time.max.ms",
        int64(0),
        30_000,
        "A follower that has not been at the log's end for this long is out of sync.",
    )
    replica_fetch_max_bytes: int = key(
        "replica.fetch.max.bytes", int32(0), 1_048_576, "Bytes a follower fetches of one partition."
    )
    replica_fetch_response_max_bytes: int = key(
        "replica.fetch.response.max.bytes",
        int32(0),
        10_485_760,
        "Bytes a follower fetches at once.",
    )
    replica_fetch_min_bytes: int = key(
        "replica.fetch.min.bytes", int32(), 1, "Bytes a follower's fetch waits for."
    )
    replica_fetch_wait_max_ms: int = key(
        "replica.fetch.wait.max.ms", int32(), 500, "How long a follower's fetch may wait."
    )
    replica_fetch_backoff_ms: int = key(
        "replica.fetch.backoff.ms",
        int32(0),
        1000,
        "How long a follower leaves a partition alone after an error.",
    )
    replica_high_watermark_checkpoint_interval_ms: int = key(
        "replica.high.watermark.checkpoint.interval.ms",
        int64(),
        5000,
        "How often the high watermarks are written to disk.",
    )

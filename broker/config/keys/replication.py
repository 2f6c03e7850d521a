"""Keys of nodes and their racks, of replicas, and of the fetches of followers."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import OneOf, Text, int32, int64
from protocol.lazy_dataclass import dataclass

RACK_AWARE_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


@dataclass(kw_only=True)
class ReplicationKeys:
    """Keys of nodes and their racks, of replicas, and of the fetches of followers."""

    node_id: int | None = key(
        "node.id",
        int32(0),
        None,
        "The id of the first node, by default 1; those of the others of --brokers follow.",
    )
    broker_rack: str | None = key(
        "broker.rack",
        Text(),
        None,
        "The rack of the node; --racks gives each node its own.",
    )
    replica_selector_class: str | None = key(
        "replica.selector.class",
        OneOf((RACK_AWARE_SELECTOR,)),
        None,
        "With it, the leader directs consumers to an in-sync replica in their rack (KIP-392).",
    )

    replica_lag_time_max_ms: int = key(
        "replica.lag.time.max.ms",
        int64(0),
        30_000,
        "A follower that has not reached the log end for this long is removed from the ISR.",
    )
    replica_fetch_max_bytes: int = key(
        "replica.fetch.max.bytes",
        int32(0),
        1_048_576,
        "The most bytes that a follower fetches of a partition.",
    )
    replica_fetch_response_max_bytes: int = key(
        "replica.fetch.response.max.bytes",
        int32(0),
        10_485_760,
        "The most bytes that a follower fetches at once.",
    )
    replica_fetch_min_bytes: int = key(
        "replica.fetch.min.bytes",
        int32(),
        1,
        "The fewest bytes for which a follower's fetch waits.",
    )
    replica_fetch_wait_max_ms: int = key(
        "replica.fetch.wait.max.ms", int32(), 500, "How long a follower's fetch waits at most."
    )
    replica_fetch_backoff_ms: int = key(
        "replica.fetch.backoff.ms",
        int32(0),
        1000,
        "How long a follower does not fetch a partition after an error.",
    )
    replication_quota_window_num: int = key(
        "replication.quota.window.num",
        int32(1),
        11,
        "The number of time windows over which the rate of throttled replication is measured.",
    )
    replication_quota_window_size_seconds: int = key(
        "replication.quota.window.size.seconds", int32(1), 1, "The length of such a window."
    )
    replica_high_watermark_checkpoint_interval_ms: int = key(
        "replica.high.watermark.checkpoint.interval.ms",
        int64(),
        5000,
        "How often the high watermarks are checkpointed.",
    )

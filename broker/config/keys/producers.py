"""Keys of idempotent producers."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.kinds import int32
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class ProducerKeys:
    """Keys of idempotent producers."""

    producer_id_expiration_ms: int = key(
        "producer.id.expiration.ms",
        int32(1),
        86_400_000,
        "How long the state of an inactive idempotent producer is kept.",
        update_mode=CLUSTER_WIDE,
    )
    producer_id_expiration_check_interval_ms: int = key(
        "producer.id.expiration.check.interval.ms",
        int32(1),
        600_000,
        "How often the broker checks for expired producers.",
        internal=True,
    )

"""Keys of how often purgatories are purged."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import key
from broker.config.kinds import int32


@dataclass(kw_only=True)
class PurgatoryKeys:
    """Keys of how often purgatories are purged."""

    fetch_purgatory_purge_interval_requests: int = key(
        "fetch.purgatory.purge.interval.requests",
        int32(),
        1000,
        "Completed fetches that may lie about in the purgatory before it is swept.",
    )
    producer_purgatory_purge_interval_requests: int = key(
        "producer.purgatory.purge.interval.requests",
        int32(),
        1000,
        "Completed produces that may lie about in the purgatory before it is swept.",
    )
    delete_records_purgatory_purge_interval_requests: int = key(
        "delete.records.purgatory.purge.interval.requests",
        int32(),
        1,
        "Completed DeleteRecords that may lie about in the purgatory before it is swept.",
    )

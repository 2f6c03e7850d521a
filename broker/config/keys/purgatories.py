"""Keys of purging purgatories."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import int32
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class PurgatoryKeys:
    """Keys of purging purgatories."""

    fetch_purgatory_purge_interval_requests: int = key(
        "fetch.purgatory.purge.interval.requests",
        int32(),
        1000,
        "The number of completed fetches in the purgatory at which it is purged.",
    )
    producer_purgatory_purge_interval_requests: int = key(
        "producer.purgatory.purge.interval.requests",
        int32(),
        1000,
        "The number of completed produces in the purgatory at which it is purged.",
    )
    delete_records_purgatory_purge_interval_requests: int = key(
        "delete.records.purgatory.purge.interval.requests",
        int32(),
        1,
        "The number of completed DeleteRecords in the purgatory at which it is purged.",
    )
    share_fetch_purgatory_purge_interval_requests: int = key(
        "share.fetch.purgatory.purge.interval.requests",
        int32(),
        1000,
        "The number of completed share fetches in the purgatory at which it is purged.",
    )

"""The parameters and results of a fetch, shared by the handler, the sessions and the logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.storage.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata
from broker.storage.transaction_index import AbortedTxn
from broker.storage.unified_log import UnifiedLog
from protocol.errors import ErrorCode
from protocol.output import Splice

FUTURE_LOCAL_REPLICA_ID = -3
ISOLATION_LEVELS = (0, 1)  # read uncommitted, read committed


class FetchIsolation(Enum):
    """How far a reader may read: Kafka's ``FetchIsolation``."""

    LOG_END = 0
    HIGH_WATERMARK = 1
    TXN_COMMITTED = 2

    @staticmethod
    def of(replica_id: int, isolation_level: int) -> FetchIsolation:
        """Followers read to the log end, consumers only what their isolation level allows."""
        assert isolation_level in ISOLATION_LEVELS
        if replica_id >= 0 or replica_id == FUTURE_LOCAL_REPLICA_ID:
            return _LOG_END
        return _TXN_COMMITTED if isolation_level == 1 else _HIGH_WATERMARK

    def upper_bound(self, log: UnifiedLog) -> LogOffsetMetadata:
        """The exclusive upper bound of reads with this isolation."""
        if self is _HIGH_WATERMARK:
            return log.high_watermark_metadata
        if self is _LOG_END:
            return log.log_end_offset_metadata
        return log.last_stable_offset_metadata


# For each fetch: to look up a member in its enumeration takes 0.3 µs in CPython 3.11.
_LOG_END = FetchIsolation.LOG_END
_HIGH_WATERMARK = FetchIsolation.HIGH_WATERMARK
_TXN_COMMITTED = FetchIsolation.TXN_COMMITTED


@dataclass(slots=True)
class FetchParams:
    """The parameters of a whole fetch.

    ``leader_only``: followers and older consumers may read from the leader only (KIP-392).
    ``replica_epoch``: the broker epoch of a follower (KIP-903), -1 if it does not send one.
    """

    replica_id: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    isolation: FetchIsolation
    leader_only: bool
    replica_epoch: int = -1

    @property
    def from_follower(self) -> bool:
        """Whether a replica fetches, not a consumer."""
        return self.replica_id >= 0


class FetchPartition(NamedTuple):
    """One partition of a fetch request: Kafka's ``FetchRequest.PartitionData``."""

    key: TopicPartition
    topic_id: UUID
    fetch_offset: int
    max_bytes: int
    current_leader_epoch: int = -1
    last_fetched_epoch: int = -1
    log_start_offset: int = -1


@dataclass(slots=True)
class LogReadResult:
    """The result of reading one partition.

    ``start`` is the position of the fetch offset in the log, for a fetch that waits. An offset is
    -1 if an error leaves it unknown. ``aborted`` are the aborted transactions of a
    ``read_committed`` fetch; None for others, and if the first batch does not fit into the limits.
    """

    error: ErrorCode
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    records: Splice = b""
    start: LogOffsetMetadata = field(default_factory=lambda: UNKNOWN_OFFSET_METADATA)
    diverging_epoch: tuple[int, int] | None = None
    log_end_offset: int = -1
    aborted: Sequence[AbortedTxn] | None = None

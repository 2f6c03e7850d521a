"""The fetch state of one partition on a follower (Kafka's ``PartitionFetchState``)."""

from __future__ import annotations

from math import inf
from typing import Final

from broker.replication.partition import Partition
from protocol.lazy_dataclass import dataclass

# Above each offset.
_UNKNOWN: Final = 2**63 - 1


@dataclass(slots=True, eq=False)
class PartitionFetchState:
    """One partition, the leader epoch in which it is fetched, and when it may be fetched next.

    A new leader epoch gets a new state: a response to a request for an earlier state is ignored.
    """

    partition: Partition
    leader_epoch: int
    due_ms: float = -inf
    # That of the leader in the last response.
    high_watermark: int = _UNKNOWN

    @property
    def is_replica_in_sync(self) -> bool:
        """Whether the log has all records below the leader's high watermark."""
        return self.partition.log.log_end_offset >= self.high_watermark

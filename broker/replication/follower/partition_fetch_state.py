"""Where a follower stands with one partition of a leader (Kafka's ``PartitionFetchState``)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from broker.replication.partition import Partition


@dataclass(slots=True, eq=False)
class PartitionFetchState:
    """One partition: under which leader epoch it is fetched, and not before when.

    A state is replaced, never changed, when its partition gets another leader epoch; an answer that
    arrives after that finds another state in its place and is left unused.
    """

    partition: Partition
    leader_epoch: int
    due_ms: float = -inf

    @property
    def fetch_offset(self) -> int:
        """The next offset to fetch: where the log ends."""
        return self.partition.log.log_end_offset

    @property
    def last_fetched_epoch(self) -> int:
        """The epoch of the last record here, for the leader to compare; -1 if there is none."""
        return self.partition.log.latest_epoch

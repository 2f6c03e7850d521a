"""The leader's view of a follower: its log end offset, and when it was last caught up.

A follower's fetch offset is its log end offset. A fetch from the leader's log end means that it is
caught up now. A fetch from the leader's log end at the time of the *previous* fetch means that it
was caught up then. So a follower that fetches continuously never lags, however fast the log grows
(Kafka's ``Replica``, KIP-16).

    leader's log end   10     20                  30
    fetch offset       10     20                  20
    caught up          now    now                 at the second fetch
"""

from __future__ import annotations

from dataclasses import field
from math import inf
from typing import Final, NamedTuple

from broker.storage.segments.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata
from protocol.lazy_dataclass import dataclass

UNKNOWN_OFFSET: Final = -1


class ReplicaProgress(NamedTuple):
    """A replica as the leader knows it.

    ``log_end_offset`` is -1 if the follower has not fetched yet. ``caught_up_ms_ago`` is None for
    the leader, and for a follower that has never been caught up.
    """

    node_id: int
    log_end_offset: int
    in_sync: bool
    caught_up_ms_ago: int | None


@dataclass(slots=True)
class Replica:
    """The state of one follower; times are the node's monotonic milliseconds.

    ``broker_epoch`` is None before the first fetch from this leader, and -1 for fetches without an
    epoch.
    """

    node_id: int
    log_start_offset: int = UNKNOWN_OFFSET
    log_end_offset_metadata: LogOffsetMetadata = field(
        default_factory=lambda: UNKNOWN_OFFSET_METADATA
    )
    last_fetch_leader_log_end_offset: int = 0
    last_fetch_time_ms: float = -inf
    last_caught_up_time_ms: float = -inf
    broker_epoch: int | None = None

    @property
    def log_end_offset(self) -> int:
        """Its log end offset at its last fetch; -1 if it has not fetched."""
        return self.log_end_offset_metadata.message_offset

    def update_fetch_state(
        self,
        at: LogOffsetMetadata,
        log_start_offset: int,
        leader_end: int,
        now_ms: float,
        broker_epoch: int,
    ) -> None:
        """It fetches from *at* while the leader's log ends at *leader_end*."""
        if at.message_offset >= leader_end:
            self.last_caught_up_time_ms = max(self.last_caught_up_time_ms, now_ms)
        elif at.message_offset >= self.last_fetch_leader_log_end_offset:
            self.last_caught_up_time_ms = max(self.last_caught_up_time_ms, self.last_fetch_time_ms)
        self.log_end_offset_metadata = at
        self.log_start_offset = log_start_offset
        self.last_fetch_leader_log_end_offset = max(
            leader_end, self.last_fetch_leader_log_end_offset
        )
        self.last_fetch_time_ms = now_ms
        self.broker_epoch = broker_epoch

    def reset(self, *, new_leader: bool, in_sync: bool, leader_end: int, now_ms: float) -> None:
        """Start a leader epoch: members of the ISR count as caught up now.

        A new leader knows nothing of its followers' logs.
        """
        if new_leader:
            self.log_start_offset = UNKNOWN_OFFSET
            self.log_end_offset_metadata = UNKNOWN_OFFSET_METADATA
            self.last_fetch_leader_log_end_offset = 0
            self.last_fetch_time_ms = -inf
            self.broker_epoch = None
        else:
            self.last_fetch_leader_log_end_offset = leader_end
            self.last_fetch_time_ms = now_ms if in_sync else -inf
        self.last_caught_up_time_ms = now_ms if in_sync else -inf

    def is_caught_up(self, leader_end: int, now_ms: float, lag_max_ms: float) -> bool:
        """Whether it has all records, or had all at most *lag_max_ms* ago."""
        return (
            self.log_end_offset == leader_end or now_ms - self.last_caught_up_time_ms <= lag_max_ms
        )

"""A follower as its leader knows it: how far its log reaches, and when it last had everything.

A follower tells with each fetch where its log ends. It was caught up at the time of a fetch from
the leader's log end; a fetch from where the leader's log ended at the *previous* fetch proves that
it was caught up then. A follower that always asks for all there is thus never lags, however fast
the log grows (Kafka's ``Replica``, KIP-16).

    leader's end   10          20          30
    fetch at        | 10        | 20 ...    | 20 ...
    caught up       now         at 10's time    at 20's time
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from broker.storage.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata

UNKNOWN_OFFSET = -1


@dataclass(slots=True)
class Replica:
    """One follower's state on the leader; times are the node's monotonic milliseconds.

    ``broker_epoch`` None: it has not fetched from this leader yet; -1: its fetches do not tell.
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
        """Where its log ends, as of its last fetch; -1 if it has not fetched."""
        return self.log_end_offset_metadata.message_offset

    def update_fetch_state(
        self,
        at: LogOffsetMetadata,
        log_start_offset: int,
        leader_end: int,
        now_ms: float,
        broker_epoch: int,
    ) -> None:
        """It fetches from *at*, while the leader's log ends at *leader_end*."""
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
        """A leader epoch begins: members of the in-sync set get the benefit of the doubt.

        A leader that is new to the job knows nothing of its followers' logs.
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
        """Whether it has everything, or had everything less than *lag_max_ms* ago."""
        return (
            self.log_end_offset == leader_end or now_ms - self.last_caught_up_time_ms <= lag_max_ms
        )

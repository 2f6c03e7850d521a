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

from math import inf
from typing import Final, NamedTuple

from broker.storage.segments.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata

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


class SessionFetches:
    """When the fetches of a session last found its idle partitions unchanged."""

    __slots__ = ("last_ms",)

    def __init__(self) -> None:
        self.last_ms = -inf


class Replica:
    """The state of one follower; times are the node's monotonic milliseconds.

    ``broker_epoch`` is None before the first fetch from this leader, and -1 for fetches without an
    epoch. If the partition is idle in the follower's session, each of its ``fetches`` is one from
    the leader's log end.
    """

    __slots__ = (
        "_fetches",
        "_last_caught_up_time_ms",
        "_last_fetch_time_ms",
        "broker_epoch",
        "last_fetch_leader_log_end_offset",
        "log_end_offset_metadata",
        "log_start_offset",
        "node_id",
    )

    def __init__(self, node_id: int) -> None:
        self.node_id = node_id
        self.log_start_offset = UNKNOWN_OFFSET
        self.log_end_offset_metadata = UNKNOWN_OFFSET_METADATA
        self.last_fetch_leader_log_end_offset = 0
        self.broker_epoch: int | None = None
        self._last_fetch_time_ms = -inf
        self._last_caught_up_time_ms = -inf
        self._fetches: SessionFetches | None = None

    @property
    def last_caught_up_time_ms(self) -> float:
        """When it had all records of the leader; -inf if never."""
        fetches = self._fetches
        if fetches is None:
            return self._last_caught_up_time_ms
        return max(self._last_caught_up_time_ms, fetches.last_ms)

    def become_idle(self, fetches: SessionFetches) -> None:
        """Count each of *fetches* as one from the leader's log end from now on."""
        self._fetches = fetches

    def become_active(self) -> None:
        """Take over the times of the session's fetches, and count single fetches again."""
        if (fetches := self._fetches) is not None:
            self._last_caught_up_time_ms = max(self._last_caught_up_time_ms, fetches.last_ms)
            self._last_fetch_time_ms = max(self._last_fetch_time_ms, fetches.last_ms)
            self._fetches = None

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
        """Take over a fetch from *at*, received while the leader's log ends at *leader_end*."""
        self.become_active()
        if at.message_offset >= leader_end:
            self._last_caught_up_time_ms = max(self._last_caught_up_time_ms, now_ms)
        elif at.message_offset >= self.last_fetch_leader_log_end_offset:
            fetched_ms = self._last_fetch_time_ms
            self._last_caught_up_time_ms = max(self._last_caught_up_time_ms, fetched_ms)
        self.log_end_offset_metadata = at
        self.log_start_offset = log_start_offset
        self.last_fetch_leader_log_end_offset = max(
            leader_end, self.last_fetch_leader_log_end_offset
        )
        self._last_fetch_time_ms = now_ms
        self.broker_epoch = broker_epoch

    def reset(self, *, new_leader: bool, in_sync: bool, leader_end: int, now_ms: float) -> None:
        """Start a leader epoch: members of the ISR count as caught up now.

        A new leader knows nothing of its followers' logs.
        """
        self._fetches = None
        if new_leader:
            self.log_start_offset = UNKNOWN_OFFSET
            self.log_end_offset_metadata = UNKNOWN_OFFSET_METADATA
            self.last_fetch_leader_log_end_offset = 0
            self._last_fetch_time_ms = -inf
            self.broker_epoch = None
        else:
            self.last_fetch_leader_log_end_offset = leader_end
            self._last_fetch_time_ms = now_ms if in_sync else -inf
        self._last_caught_up_time_ms = now_ms if in_sync else -inf

    def is_caught_up(self, leader_end: int, now_ms: float, lag_max_ms: float) -> bool:
        """Whether it has all records, or had all at most *lag_max_ms* ago."""
        return (
            self.log_end_offset == leader_end or now_ms - self.last_caught_up_time_ms <= lag_max_ms
        )

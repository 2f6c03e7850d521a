"""The partitions of a fetch session that have nothing for its client until they change.

    active --- a read finds no records, and the response has no news of it ---> idle
      ^                                                                          |
      +------ the partition or what the client requests of it has changed ------+

A fetch reads the active partitions only. The result that an idle partition would have is the one
that it had when it became idle, so that the client observes no difference. When an idle partition
changes, it becomes active, and a fetch that waits is watched on it, as if it had been from the
start. So the cost of a fetch does not depend on the number of idle partitions. In Kafka each fetch
reads and watches all of its session. A follower's fetch also counts for its idle partitions
(`SessionFetches`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import (
    FetchParams,
    FetchPartition,
    LogReadResult,
    PartitionName,
)
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.replica import Replica, SessionFetches
from broker.storage.log.log_listener import LogListener
from purgatories.operations.delayed_fetch import DelayedFetch, FetchPartitionStatus
from purgatories.purgatory import DelayedOperationPurgatory

_NOTHING: Final[Sequence[FetchPartition]] = ()


class IdlePartitions(LogListener):
    """Which of the partitions of a session are idle; *members* are all of them, by name.

    They are idle for requests with the same parameters and the same *revision* of the metadata.
    """

    __slots__ = (
        "_active",
        "_fetches",
        "_idle",
        "_members",
        "_operation",
        "_params",
        "_purgatory",
        "_reactivated",
        "_revision",
        "_statuses",
    )

    def __init__(
        self,
        members: dict[PartitionName, FetchPartition],
        revision: int,
        params: FetchParams,
    ) -> None:
        super().__init__()
        self._members = members
        self._active = dict(members)
        self._idle: dict[TopicPartition, FetchPartition] = {}
        self._revision = revision
        self._params = params
        self._fetches = SessionFetches()
        # Those that have become active since the last call of `active` or `take_reactivated`.
        self._reactivated: list[FetchPartition] = []
        # The last fetch that waited, and where.
        self._operation: DelayedFetch[TopicPartition] | None = None
        self._purgatory: DelayedOperationPurgatory[Any] | None = None
        # Those of the idle partitions, until others are idle.
        self._statuses: list[FetchPartitionStatus[TopicPartition]] | None = None

    def __len__(self) -> int:
        return len(self._idle)

    def active(self) -> list[FetchPartition]:
        """The partitions to read, in the order of the session, for a fetch that begins."""
        self._reactivated.clear()
        if not self._idle:
            return list(self._members.values())
        found = list(self._active.values())
        sort_by_order(found)
        return found

    def statuses(self) -> list[FetchPartitionStatus[TopicPartition]]:
        """What a delayed fetch compares with the idle partitions."""
        if self._statuses is None:
            self._statuses = [
                requested.empty_read.status
                for requested in self._idle.values()
                if requested.empty_read is not None
            ]
        return self._statuses

    # ------------------------------------------------------------------- members of the session

    def add(self, requested: FetchPartition) -> None:
        """Add a partition to the session, as active."""
        self._active[requested.name] = requested

    def remove(self, requested: FetchPartition) -> None:
        """Remove a partition from the session."""
        if self._idle.get(requested.key) is requested:
            del self._idle[requested.key]
            self._become_active(requested)
        self._active.pop(requested.name, None)

    # --------------------------------------------------------------------------- becoming active

    def prepare(self, revision: int, params: FetchParams, *, may_stay_idle: bool) -> None:
        """Make active what a fetch with *params* has to read: all, unless *may_stay_idle*."""
        if not (may_stay_idle and revision == self._revision and _agree(params, self._params)):
            self._activate_all()
        self._revision, self._params = revision, params

    def begin_fetch(self, now_ms: float) -> Sequence[FetchPartition]:
        """Note that a fetch reads now; returns what has become active since `active`."""
        self._fetches.last_ms = now_ms
        return self.take_reactivated()

    def wait(
        self,
        operation: DelayedFetch[TopicPartition],
        purgatory: DelayedOperationPurgatory[Any],
    ) -> None:
        """Note that the fetch waits in *purgatory*, also on the idle partitions."""
        self._operation, self._purgatory = operation, purgatory

    def take_reactivated(self) -> Sequence[FetchPartition]:
        """The partitions that have become active by a change since the last call."""
        if not self._reactivated:
            return _NOTHING
        reactivated, self._reactivated = self._reactivated, []
        return reactivated

    def log_changed(self, key: TopicPartition) -> None:
        """See `LogListener`."""
        requested = self._idle.pop(key, None)
        if requested is None:
            return
        self._become_active(requested)
        self._watch(requested)

    def close(self) -> None:
        """Make all partitions active, because the session ends; a fetch still waits."""
        self.is_closed = True
        self._activate_all()

    def _activate_all(self) -> None:
        reactivated = self._idle
        self._active, self._idle, self._statuses = dict(self._members), {}, None
        # The previous object remains at the last fetch, for the replicas that refer to it.
        self._fetches = SessionFetches()
        if self._operation is not None and not self._operation.is_completed:
            for requested in reactivated.values():
                self._watch(requested)

    def _watch(self, requested: FetchPartition) -> None:
        """Let a fetch that waits also wait on a partition that has become active."""
        self._reactivated.append(requested)
        operation, purgatory = self._operation, self._purgatory
        if operation is not None and purgatory is not None and not operation.is_completed:
            purgatory.watch_also(operation, requested.key)

    def _become_active(self, requested: FetchPartition) -> None:
        self._active[requested.name] = requested
        self._statuses = None
        if requested.replica is not None:
            requested.replica.become_active()
            requested.replica = None

    # ----------------------------------------------------------------------------- becoming idle

    def make_idle(
        self, hosted: HostedPartitions, results: Sequence[tuple[FetchPartition, LogReadResult]]
    ) -> None:
        """Make the partitions idle of which the client knows the *results*, if they are empty."""
        if self.is_closed:
            return
        for requested, result in results:
            is_active = self._active.get(requested.name) is requested
            if is_active and is_known_empty_read(requested, result):
                self._try_make_idle(hosted, requested)

    def _try_make_idle(self, hosted: HostedPartitions, requested: FetchPartition) -> None:
        partition, read, params = hosted.get(requested.key), requested.empty_read, self._params
        if partition is None or read is None or not read.may_be_repeated(partition, params):
            return
        if requested.key in self._idle:  # that of another topic ID, which is not known any more
            return
        replica: Replica | None = None
        if params.from_follower:
            leader_state = partition.leader_state
            if leader_state is not None:
                replica = leader_state.replica_in_sync(params.replica_id)
            if replica is None or replica.log_end_offset != requested.fetch_offset:
                return
            replica.become_idle(self._fetches)
        requested.replica = replica
        del self._active[requested.name]
        self._idle[requested.key] = requested
        self._statuses = None
        partition.log.listen(self)


def is_known_empty_read(requested: FetchPartition, result: LogReadResult) -> bool:
    """Whether *result* is that of an empty read, and the client of the session knows it."""
    read = requested.empty_read
    return read is not None and read.result is result and not requested.has_news(result)


def sort_by_order(partitions: list[FetchPartition]) -> None:
    """Sort partitions by their order in the session."""
    if len(partitions) > 1:
        partitions.sort(key=_order)


def _order(requested: FetchPartition) -> int:
    return requested.order


def _agree(one: FetchParams, other: FetchParams) -> bool:
    """Whether two fetches may read the same, and as the same replica."""
    return (
        one.replica_id == other.replica_id
        and one.replica_epoch == other.replica_epoch
        and one.isolation is other.isolation
        and one.leader_only == other.leader_only
        and (one.preferred_read_replica is None) == (other.preferred_read_replica is None)
    )

"""What the members of a share group hold and have acknowledged, and the rules about it.

* A record is delivered at most as often as the limit allows, and each delivery is counted.
* A record that one member has acquired is not acquired by another before it was released, or its
  lock has ended; and it is not held after that.
* A record whose acceptance was stored is not delivered again, and the stored state has it. Only a
  leader that another one has replaced may still deliver it, and stores no acknowledgement.
* The start offset of a share partition does not go back, in memory or in the stored state.
* In the end each committed record was accepted or rejected, or delivered as often as allowed.

The ledger sees the calls of share partitions and persisters and their results, not their state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from broker.share.acknowledgement import Acknowledgement
from broker.share.acquisition import AcquiredRecords
from broker.share.persister import ReadResult, StateWrite
from broker.share.record_state import AcknowledgeType, RecordState
from broker.share.share_partition import SharePartition
from protocol.errors import ErrorCode
from tests.simulation.violation import Violation

# A lock ends with the next tick of its timer.
TOLERANCE_MS = 20

_ENDING = frozenset({AcknowledgeType.ACCEPT, AcknowledgeType.REJECT, AcknowledgeType.GAP})


@dataclass
class Lock:
    """A record that a member has; ``is_changing`` while an acknowledgement is being stored."""

    member_id: str
    until_ms: float
    is_changing: bool = False


@dataclass
class Use:
    """One use of a share partition by a leader, until it is fenced or the node stops."""

    start_offset: int = 0
    locks: dict[int, Lock] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)


@dataclass
class Deliveries:
    """What is known of a share partition in all of its uses."""

    leader_epoch: int = -1  # the highest one that has read the state
    stored_start: int = -1
    stored_starts: dict[int, int] = field(default_factory=dict)  # by leader epoch
    accepted: dict[int, int] = field(default_factory=dict)  # the leader epoch, by offset
    skipped: set[int] = field(default_factory=set)  # below the start offset when acknowledged
    ended: set[int] = field(default_factory=set)  # perhaps not stored, if the result is an error
    delivered_last: set[int] = field(default_factory=set)


class Ledger:
    """The deliveries of all partitions of the topic, by partition."""

    def __init__(
        self, now_ms: Callable[[], float], lock_duration_ms: int, limit: int, partitions: int
    ) -> None:
        self._now_ms = now_ms
        self._lock_duration_ms = lock_duration_ms
        self._limit = limit
        self.deliveries = [Deliveries() for _ in range(partitions)]
        self._uses: dict[SharePartition, Use] = {}

    def _use(self, share_partition: SharePartition) -> Use:
        return self._uses.setdefault(share_partition, Use())

    # ------------------------------------------------------------------------- share partitions

    def initialized(self, share_partition: SharePartition) -> None:
        """A leader has read the state."""
        known = self.deliveries[share_partition.key.partition]
        known.leader_epoch = max(known.leader_epoch, share_partition.leader_epoch)

    def acquired(
        self, share_partition: SharePartition, member_id: str, acquired: Iterable[AcquiredRecords]
    ) -> None:
        """A member has acquired records."""
        known, use = self.deliveries[share_partition.key.partition], self._use(share_partition)
        until_ms = self._now_ms() + self._lock_duration_ms
        for first, last, count in acquired:
            for offset in range(first, last + 1):
                who = (
                    f"{share_partition.key.partition}: {offset}, acquired by {member_id} (#{count})"
                )
                if count > self._limit:
                    raise Violation(f"{who}, is delivered beyond the limit {self._limit}")
                if count != use.counts.get(offset, count - 1) + 1:
                    raise Violation(f"{who}, was delivered as #{use.counts[offset]} before")
                self._check_is_free(who, use, offset)
                if known.accepted.get(offset, share_partition.leader_epoch + 1) <= (
                    share_partition.leader_epoch
                ):
                    raise Violation(f"{who}, was accepted before")
                use.locks[offset] = Lock(member_id, until_ms)
                use.counts[offset] = count
                if count == self._limit:
                    known.delivered_last.add(offset)

    def _check_is_free(self, who: str, use: Use, offset: int) -> None:
        lock = use.locks.get(offset)
        if lock is not None and (lock.is_changing or self._now_ms() < lock.until_ms - 1):
            raise Violation(f"{who}, is locked by {lock.member_id} until {lock.until_ms:.1f}")

    def acknowledging(
        self,
        share_partition: SharePartition,
        member_id: str,
        acknowledgements: Sequence[Acknowledgement],
        start_offset: int,
    ) -> Callable[[ErrorCode], None]:
        """A leader has taken acknowledgements; returns what is to be called with the result."""
        known, use = self.deliveries[share_partition.key.partition], self._use(share_partition)
        is_fenced = share_partition.leader_epoch < known.leader_epoch
        changed: list[tuple[int, AcknowledgeType]] = []
        for each in acknowledgements:
            for first, last, kind in each.ranges():
                known.skipped.update(range(first, min(last + 1, start_offset)))
                for offset in range(max(first, start_offset), last + 1):
                    self._change(share_partition, use, member_id, offset, kind)
                    changed.append((offset, kind))
                    if kind in _ENDING:
                        known.ended.add(offset)

        def done(error: ErrorCode) -> None:
            if (
                is_fenced
                and not error
                and any(kind is not AcknowledgeType.RENEW for _, kind in changed)
            ):
                raise Violation(f"{share_partition.key.partition}: a replaced leader has stored")
            for offset, kind in changed:
                self._changed(share_partition, use, known, offset, kind, error)

        return done

    def _change(
        self,
        share_partition: SharePartition,
        use: Use,
        member_id: str,
        offset: int,
        kind: AcknowledgeType,
    ) -> None:
        lock = use.locks.get(offset)
        late_ms = self._now_ms() - TOLERANCE_MS
        if lock is None or lock.member_id != member_id or lock.until_ms < late_ms:
            raise Violation(
                f"{share_partition.key.partition}: {kind.name} of {offset} by {member_id}, "
                f"while {lock} is known"
            )
        if kind is AcknowledgeType.RENEW:
            lock.until_ms = self._now_ms() + self._lock_duration_ms
        else:
            lock.is_changing = True

    def _changed(
        self,
        share_partition: SharePartition,
        use: Use,
        known: Deliveries,
        offset: int,
        kind: AcknowledgeType,
        error: ErrorCode,
    ) -> None:
        if kind is AcknowledgeType.RENEW:
            return
        lock = use.locks[offset]
        if error:
            lock.is_changing = False
            return
        lock.is_changing, lock.until_ms = False, self._now_ms()
        if kind is AcknowledgeType.ACCEPT:
            known.accepted[offset] = share_partition.leader_epoch

    def releasing(
        self, share_partition: SharePartition, member_id: str
    ) -> Callable[[ErrorCode], None]:
        """The session of a member has ended; returns what is to be called with the result."""
        locks = self._use(share_partition).locks
        held = {
            offset: lock
            for offset, lock in locks.items()
            if lock.member_id == member_id
            and not lock.is_changing
            and lock.until_ms > self._now_ms()
        }
        for lock in held.values():
            lock.is_changing = True

        def done(error: ErrorCode) -> None:
            for lock in held.values():
                lock.is_changing = False
                if not error:
                    lock.until_ms = self._now_ms()

        return done

    # -------------------------------------------------------------------------- the stored state

    def written(self, partition: int, change: StateWrite) -> None:
        """A change has been stored."""
        known = self.deliveries[partition]
        start = known.stored_starts.get(change.leader_epoch, -1)
        if change.start_offset < start:
            raise Violation(
                f"{partition}: the start offset {start} was stored before {change.start_offset}"
            )
        known.stored_starts[change.leader_epoch] = change.start_offset
        known.stored_start = max(known.stored_start, change.start_offset)

    def reading(self, partition: int) -> Callable[[ReadResult], None]:
        """The state is read; returns what is to be called with the result."""
        known = self.deliveries[partition]
        start, accepted = known.stored_start, tuple(known.accepted)

        def done(result: ReadResult) -> None:
            if result.error:
                return
            if result.start_offset < start:
                raise Violation(
                    f"{partition}: the stored start offset {start} goes back to "
                    f"{result.start_offset}"
                )
            for offset in accepted:
                if offset >= result.start_offset and not any(
                    each.first_offset <= offset <= each.last_offset
                    and each.delivery_state == RecordState.ACKNOWLEDGED
                    for each in result.batches
                ):
                    raise Violation(f"{partition}: the stored state lacks the accepted {offset}")

        return done

    # ---------------------------------------------------------------------------------- members

    def confirmed(self, partition: int, first: int, last: int) -> None:
        """A member has the response that its acceptance was stored."""
        known = self.deliveries[partition]
        for offset in range(first, last + 1):
            if offset not in known.accepted and offset not in known.skipped:
                raise Violation(f"{partition}: the acceptance of {offset} is not stored")

    # ----------------------------------------------------------------------------------- checks

    def check(self, share_partition: SharePartition) -> None:
        """Check the start offset and the locks of a share partition that is in use."""
        use, records = self._use(share_partition), share_partition.records
        partition = share_partition.key.partition
        if records.start_offset < use.start_offset:
            raise Violation(f"{partition}: the start offset goes back to {records.start_offset}")
        use.start_offset = records.start_offset
        for run in records.window.runs():
            if run.state is not RecordState.ACQUIRED or run.before is not None:
                continue
            for offset in range(run.first, run.last + 1):
                lock = use.locks.get(offset)
                if lock is None or lock.until_ms < self._now_ms() - TOLERANCE_MS:
                    raise Violation(f"{partition}: {offset} is acquired, while {lock} is known")

    def check_end(self, partition: int, start: int, end: int) -> None:
        """Check that each of the committed records has come to its end."""
        known = self.deliveries[partition]
        for offset in range(start, end):
            if offset not in known.ended and offset not in known.delivered_last:
                raise Violation(f"{partition}: {offset} is lost: it was not acknowledged")

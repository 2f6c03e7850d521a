"""The records of one partition that a share group has in flight (Kafka's ``SharePartition``).

It reads no logs. Changes that must survive the leader are written by the persister, and rolled back
if that fails; acquisitions and renewals are not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from functools import partial
from typing import Final

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.share.acknowledgement import Acknowledgement, acknowledged_runs
from broker.share.acquisition import AcquiredRecords, AcquireMode, Acquisition
from broker.share.acquisition_lock import AcquisitionLock
from broker.share.delivery_throttle import DeliveryThrottle
from broker.share.fetched_batches import FetchedBatch
from broker.share.gaps import Gaps
from broker.share.in_flight_batch import Run
from broker.share.in_flight_records import InFlightRecords, terminal_count
from broker.share.in_flight_window import InFlightWindow
from broker.share.lock_facts import released_facts
from broker.share.persister import (
    Persister,
    PersisterResult,
    PersisterStateBatch,
    ReadResult,
    StateWrite,
)
from broker.share.persister_errors import FENCING, partition_error
from broker.share.record_state import (
    ACQUIRED,
    ARCHIVED,
    REQUESTED_STATES,
    TERMINAL,
    AcknowledgeType,
    RecordState,
    after_release,
)
from broker.share.settings import ShareGroupSettings
from broker.share.share_partition_key import SharePartitionKey
from broker.share.state_change import StateChange, state_batches
from broker.share.stored_state import InvalidState, restore
from broker.storage.segments.offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata
from broker.wait_records.causes import CauseKind
from broker.wait_records.wait import Facts
from protocol.errors import ErrorCode
from purgatories.timer.system_timer import SystemTimer

_NOT_RENEWABLE: Final = "Renewing acquisition locks is not enabled for the group."

# Called with the error of a partition, and a message for clients.
Done = Callable[[ErrorCode, str | None], None]


class PartitionState(Enum):
    """Whether the stored state has been read; a FENCED share partition is not used again."""

    EMPTY = auto()
    INITIALIZING = auto()
    ACTIVE = auto()
    FENCED = auto()


class SharePartition:
    """The in-flight records of a share group in a partition that this node leads.

    ``on_changed`` is called when the start offset has moved or locks have expired, but not when a
    release has been written, as in Kafka; ``on_fenced`` when another leader or another state epoch
    has taken over. ``fetch_owner`` is the fetch that reads from the partition at present: Kafka's
    fetch lock. ``position`` is where a fetch has found the next offset to fetch in the log.
    ``expired_lock`` has the facts of the lock that has expired last.
    """

    def __init__(
        self,
        key: SharePartitionKey,
        name: TopicPartition,
        leader_epoch: int,
        settings: ShareGroupSettings,
        persister: Persister,
        timer: SystemTimer,
        on_changed: Callable[[SharePartition, CauseKind], None],
        on_fenced: Callable[[SharePartition], None],
    ) -> None:
        self.key = key
        self.name = name
        self.leader_epoch = leader_epoch
        self.settings = settings
        self.state = PartitionState.EMPTY
        self.records = InFlightRecords(0, InFlightWindow(), Gaps())
        self.fetch_owner: object | None = None
        self.position: LogOffsetMetadata = UNKNOWN_OFFSET_METADATA
        self.expired_lock: Facts | None = None
        self._persister = persister
        self._timer = timer
        self._on_changed = on_changed
        self._on_fenced = on_fenced
        self._state_epoch = 0

    # --------------------------------------------------------------------------- beginning

    def initialize(self, reset: Callable[[], int], done: Done) -> None:
        """Read the stored state; *reset* returns the start offset for a state that has none."""
        assert self.state is PartitionState.EMPTY
        self.state = PartitionState.INITIALIZING
        self._persister.read(self.key, self.leader_epoch, partial(self._read, reset, done))

    def _read(self, reset: Callable[[], int], done: Done, result: ReadResult) -> None:
        error = partition_error(result.error)
        if self.state is not PartitionState.INITIALIZING:  # fenced meanwhile
            error = ErrorCode.NOT_LEADER_OR_FOLLOWER
        if error:
            done(error, result.message)
            return
        try:
            start = reset() if result.start_offset < 0 else result.start_offset
            self.records = InFlightRecords(start, *restore(start, result.batches))
        except ApiError as refused:
            done(refused.code, refused.message)
            return
        except InvalidState as invalid:
            done(ErrorCode.UNKNOWN_SERVER_ERROR, str(invalid))
            return
        self._state_epoch = result.state_epoch
        self.state = PartitionState.ACTIVE
        done(ErrorCode.NONE, None)

    def fence(self) -> None:
        """End the use of this share partition: no lock of it runs any more."""
        self.state = PartitionState.FENCED
        for run in self.records.window.runs():
            run.unlock()

    # --------------------------------------------------------------------------- acquiring

    def can_acquire(self) -> bool:
        """Whether there are records to deliver again, or room for new ones."""
        if self.state is not PartitionState.ACTIVE:
            return False
        records = self.records
        if records.count < self.settings.partition_max_record_locks:
            return True
        return records.next_fetch_offset() <= records.end_offset

    def acquire(
        self,
        member_id: str,
        fetch_offset: int,
        batches: Sequence[FetchedBatch],
        max_records: int,
        batch_size: int,
        mode: AcquireMode,
        aborted: Sequence[tuple[int, int]] = (),
    ) -> list[AcquiredRecords]:
        """Acquire records of *batches*, which were read from *fetch_offset* on, for a member.

        *aborted* are ranges of offsets that the group does not deliver.
        """
        if not batches or max_records <= 0 or self.state is not PartitionState.ACTIVE:
            return []
        records, last = self.records, batches[-1].last_offset
        allowed = min(max_records, self.settings.partition_max_record_locks - records.count)
        if allowed <= 0:
            if not records.count or fetch_offset > records.end_offset:
                return []
            allowed = min(max_records, records.end_offset - fetch_offset + 1)
            last = records.end_offset
        records.archive_stale(fetch_offset, batches)
        lock = self._new_lock(member_id)
        throttle = DeliveryThrottle(self.settings.delivery_count_limit)
        acquisition = Acquisition(
            records.window,
            records.gaps,
            batches,
            member_id,
            allowed,
            batch_size,
            mode,
            throttle,
            lock,
        )
        was_empty = not records.window
        acquisition.run(records.first_to_acquire(batches[0].base_offset), last)
        records.fetched(fetch_offset, acquisition.position)
        if not acquisition.acquired:
            return []
        records.extended(acquisition.acquired[0].first if was_empty else records.start_offset)
        records.find_next |= mode is AcquireMode.RECORD_LIMIT
        self._timer.add(lock)
        return self._without(aborted, acquisition.acquired, lock)

    def _without(
        self,
        aborted: Sequence[tuple[int, int]],
        acquired: list[AcquiredRecords],
        lock: AcquisitionLock,
    ) -> list[AcquiredRecords]:
        """Archive what was acquired of aborted transactions; returns the rest of *acquired*.

        As in Kafka, the start offset moves past archived records with the next change.
        """
        for first, last in aborted:
            for batch, run in self.records.window.runs_touching(first, last):
                if run.lock is lock:
                    part = batch.cut(run, first, last)
                    part.end_acquisition(ARCHIVED)
                    self._completed((part,))
            acquired = [part for each in acquired for part in _outside(each, first, last)]
        return acquired

    def _new_lock(self, member_id: str) -> AcquisitionLock:
        return AcquisitionLock(self.settings.record_lock_duration_ms, member_id, self._lock_expired)

    # --------------------------------------------------------------------------- releasing

    def acknowledge(
        self, member_id: str, acknowledgements: Sequence[Acknowledgement], done: Done
    ) -> None:
        """Apply the acknowledgements of a member, all or none of them but renewals.

        Records below the start offset are skipped. As in Kafka, locks that were renewed before a
        record that is refused stay renewed. Raises `ApiError` INVALID_RECORD_STATE or
        INVALID_REQUEST, and NOT_LEADER_OR_FOLLOWER after `fence`.
        """
        self._check_active()
        renews = any(AcknowledgeType.RENEW in each.types for each in acknowledgements)
        change, lock = StateChange(), self._new_lock(member_id) if renews else None
        try:
            self._apply(member_id, acknowledgements, change, lock)
        except ApiError:
            change.roll_back(self.settings.delivery_count_limit)
            raise
        finally:
            if lock is not None and lock.holders:
                self._timer.add(lock)
        self._write(change, CauseKind.ACKNOWLEDGEMENT, done)

    def _apply(
        self,
        member_id: str,
        acknowledgements: Sequence[Acknowledgement],
        change: StateChange,
        renewal: AcquisitionLock | None,
    ) -> None:
        """Add the acknowledgements to *change*, and lock with *renewal* what is renewed."""
        start = self.records.start_offset
        for each in acknowledgements:
            if each.last < start:
                continue
            for run, kind in acknowledged_runs(self.records.window, start, each, member_id):
                if kind is not AcknowledgeType.RENEW:
                    change.set(run, self._after(run, REQUESTED_STATES[kind]))
                elif not self.settings.renew_acknowledge_enable:
                    raise ApiError(ErrorCode.INVALID_RECORD_STATE, _NOT_RENEWABLE)
                elif renewal is not None and run.lock is not renewal:
                    run.lock_with(renewal)

    def _after(self, run: Run, requested: RecordState) -> RecordState:
        if requested in TERMINAL:
            return requested
        return after_release(run.delivery_count, self.settings.delivery_count_limit)

    def release_acquired(self, member_id: str, done: Done) -> None:
        """Release everything that a member has acquired: its session has ended.

        Raises `ApiError` NOT_LEADER_OR_FOLLOWER after `fence`.
        """
        self._check_active()
        change = StateChange()
        for run in self.records.window.runs():
            if run.state is ACQUIRED and run.member_id == member_id:
                change.set(run, self._after(run, RecordState.AVAILABLE))
        self._write(change, CauseKind.SHARE_SESSION, done)

    def _check_active(self) -> None:
        if self.state is not PartitionState.ACTIVE:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def _lock_expired(self, lock: AcquisitionLock) -> None:
        """Release the runs that *lock* still holds; this stays so if it cannot be written."""
        released = []
        for _, run in self.records.window.runs_touching(lock.first, lock.last):
            if run.lock is lock:
                if run.before is None:
                    run.end_acquisition(self._after(run, RecordState.AVAILABLE))
                    released.append(run)
                else:
                    run.unlock()  # the result of the write decides
        if released:
            self._completed(released)
            self._store(state_batches(released), self._expiry_written)
            self.records.released()
            self.expired_lock = released_facts(lock, released)
            self._on_changed(self, CauseKind.LOCK_EXPIRED)

    def _expiry_written(self, result: PersisterResult) -> None:
        self._fence_if(partition_error(result.error))

    def log_start_moved(self, log_start_offset: int) -> None:
        """Forget the records before *log_start_offset*, which have been deleted."""
        if log_start_offset > self.records.start_offset:
            self.records.log_start_moved(log_start_offset)
            self._on_changed(self, CauseKind.DELETED)

    # ----------------------------------------------------------------------------- writing

    def _write(self, change: StateChange, kind: CauseKind, done: Done) -> None:
        if not change.runs:
            done(ErrorCode.NONE, None)
            return
        self._completed(change.runs)
        self._store(state_batches(change.runs), partial(self._written, change, kind, done))

    def _store(
        self, batches: tuple[PersisterStateBatch, ...], done: Callable[[PersisterResult], None]
    ) -> None:
        change = StateWrite(
            state_epoch=self._state_epoch,
            leader_epoch=self.leader_epoch,
            start_offset=self.records.start_offset,
            delivery_complete_count=self.records.complete_count,
            batches=batches,
        )
        self._persister.write(self.key, change, done)

    def _written(
        self, change: StateChange, kind: CauseKind, done: Done, result: PersisterResult
    ) -> None:
        error = partition_error(result.error)
        if error:
            self.records.complete_count -= terminal_count(change.runs, self.records.start_offset)
            change.roll_back(self.settings.delivery_count_limit)
            self._completed(change.runs)
        else:
            change.commit()
        done(error, result.message)
        self._fence_if(error)
        if self.state is PartitionState.ACTIVE and self.records.released():
            self._on_changed(self, kind)

    def _completed(self, runs: Iterable[Run]) -> None:
        """Count those of *runs*, whose state has changed, that have a terminal state."""
        self.records.complete_count += terminal_count(runs, self.records.start_offset)

    def _fence_if(self, error: ErrorCode) -> None:
        if error in FENCING and self.state is not PartitionState.FENCED:
            self._on_fenced(self)


def _outside(each: AcquiredRecords, first: int, last: int) -> Iterable[AcquiredRecords]:
    """The parts of *each* before *first* and after *last*."""
    if each.first < first:
        yield each._replace(last=min(each.last, first - 1))
    if each.last > last:
        yield each._replace(first=max(each.first, last + 1))

"""A share partition in virtual time, with a persister that a test can make slow or refuse.

Text describes states: ``0-4 accept`` is an acknowledgement, ``0-9#2`` are records acquired for the
second time, ``5-9 ACQUIRED #1 a`` is a run that member a has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from uuid import UUID

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchIsolation
from broker.share.acknowledgement import Acknowledgement
from broker.share.acquisition import AcquiredRecords, AcquireMode
from broker.share.fetched_batches import FetchedBatch
from broker.share.persister import (
    PersisterResult,
    PersisterStateBatch,
    ReadResult,
    StateWrite,
)
from broker.share.record_state import AcknowledgeType
from broker.share.share_partition import SharePartition
from broker.share.share_partition_key import SharePartitionKey
from broker.wait_records.causes import CauseKind
from protocol.errors import ErrorCode
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock

KEY = SharePartitionKey("group", UUID(int=1), 0)
LOCK_MS = 30_000
ALL = 1_000_000


@dataclass
class Settings:
    """The settings of the group; the defaults are Kafka's."""

    record_lock_duration_ms: int = LOCK_MS
    delivery_count_limit: int = 5
    partition_max_record_locks: int = 2000
    renew_acknowledge_enable: bool = True
    isolation: FetchIsolation = FetchIsolation.HIGH_WATERMARK
    auto_offset_reset: str = "latest"


class FakePersister:
    """Answers at once, or when the test calls `answer`; ``error`` is the next result."""

    def __init__(self) -> None:
        self.state = ReadResult(start_offset=0)
        self.writes: list[StateWrite] = []
        self.reads: list[int] = []
        self.error = ErrorCode.NONE
        self.is_slow = False
        self._waiting: list[Callable[[], None]] = []

    def read(
        self, _key: SharePartitionKey, leader_epoch: int, done: Callable[[ReadResult], None]
    ) -> None:
        """Return ``state``."""
        self.reads.append(leader_epoch)
        self._respond(lambda: done(self.state))

    def write(
        self,
        _key: SharePartitionKey,
        change: StateWrite,
        done: Callable[[PersisterResult], None],
    ) -> None:
        """Keep the change in ``writes``."""
        self.writes.append(change)
        self._respond(lambda: done(PersisterResult(error=self.error)))

    def _respond(self, respond: Callable[[], None]) -> None:
        if self.is_slow:
            self._waiting.append(respond)
        else:
            respond()

    def answer(self, error: ErrorCode = ErrorCode.NONE) -> None:
        """Answer the oldest call, if it is a write with *error*."""
        self.error = error
        self._waiting.pop(0)()
        self.error = ErrorCode.NONE


class Bench:
    """A share partition that has begun at offset 0."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        start_offset: int = 0,
        stored: Iterable[tuple[int, int, int, int]] = (),
        reset: int = 0,
    ) -> None:
        self.clock = ManualClock()
        self.timer = SystemTimer("locks", now_ms=self.clock)
        self.settings = settings or Settings()
        self.persister = FakePersister()
        batches = [PersisterStateBatch(*each) for each in stored]
        self.persister.state = ReadResult(state_epoch=7, start_offset=start_offset, batches=batches)
        self.changes: list[CauseKind] = []
        self.fenced: list[SharePartition] = []
        self.partition = SharePartition(
            KEY,
            TopicPartition("t", 0),
            3,
            self.settings,
            self.persister,  # type: ignore[arg-type]  # only reads and writes
            self.timer,
            lambda _, kind: self.changes.append(kind),
            self.fenced.append,
        )
        self.initialized: list[ErrorCode] = []
        self.partition.initialize(lambda: reset, lambda error, _: self.initialized.append(error))

    def acquire(
        self,
        member_id: str,
        batches: str,
        max_records: int = 500,
        *,
        batch_size: int = ALL,
        exact: bool = False,
        fetch_offset: int | None = None,
        aborted: Iterable[tuple[int, int]] = (),
    ) -> str:
        """Acquire from a read of *batches*, such as ``0-9 10-19``."""
        if fetch_offset is None:
            fetch_offset = self.partition.records.next_fetch_offset()
        acquired = self.partition.acquire(
            member_id,
            fetch_offset,
            [FetchedBatch(0, 100, first, last) for first, last in map(_range, batches.split())],
            max_records,
            batch_size,
            AcquireMode.RECORD_LIMIT if exact else AcquireMode.BATCH_OPTIMIZED,
            list(aborted),
        )
        return text(acquired)

    def acknowledge(self, member_id: str, *batches: str) -> ErrorCode | None:
        """Acknowledge ``first-last type [type...]``; None while the write is in progress."""
        results: list[ErrorCode] = []
        try:
            self.partition.acknowledge(
                member_id,
                list(map(parse_acknowledgement, batches)),
                lambda error, _: results.append(error),
            )
        except ApiError as error:
            return error.code
        return results[0] if results else None

    def release(self, member_id: str) -> None:
        """End the session of a member."""
        self.partition.release_acquired(member_id, lambda *_: None)

    def wait(self, duration_ms: float) -> None:
        """Let the time pass."""
        self.clock.advance_to(self.clock.now_ms + duration_ms, self.timer)

    @property
    def offsets(self) -> tuple[int, int]:
        """The start offset and the next offset to fetch."""
        records = self.partition.records
        return records.start_offset, records.next_fetch_offset()

    def runs(self) -> list[str]:
        """The state of each run in the window."""
        return [
            f"{run.first}-{run.last} {run.state.name} #{run.delivery_count} {run.member_id}".strip()
            for run in self.partition.records.window.runs()
        ]


def _range(batch: str) -> tuple[int, int]:
    first, _, last = batch.partition("-")
    return int(first), int(last or first)


def parse_acknowledgement(batch: str) -> Acknowledgement:
    """The acknowledgement of ``first-last type [type...]``."""
    offsets, *types = batch.split()
    return Acknowledgement(*_range(offsets), [AcknowledgeType[each.upper()] for each in types])


def text(acquired: Iterable[AcquiredRecords]) -> str:
    """Ranges with their delivery counts."""
    return " ".join(f"{first}-{last}#{count}" for first, last, count in acquired)

"""The snapshot of many producers is taken in slices, while the log changes."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from broker.steps.pieces import PIECE_ITEMS
from broker.steps.queue import Slices, finish
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.producers.producer_snapshot import Snapshots, read_snapshot, snapshot_path
from broker.storage.producers.producer_state_entry import ProducerStateEntry
from broker.storage.producers.snapshot_writer import PRODUCERS_AT_ONCE, SnapshotWriter
from tests.broker.storage.logs import NOW_MS, FailingDisk, StillClock, batch, open_log

PRODUCERS = PRODUCERS_AT_ONCE + 1
LAST = PRODUCERS - 1


@pytest.fixture
def started() -> list[Slices[None]]:
    """The slices that have been started."""
    return []


@pytest.fixture
def disk() -> FailingDisk:
    return FailingDisk()


@pytest.fixture
def log(tmp_path: Path, started: list[Slices[None]], disk: FailingDisk) -> Iterator[UnifiedLog]:
    """A log of many producers, each with the sequence number 0 at its own offset."""
    writer = SnapshotWriter()
    writer.start = started.append
    log = open_log(tmp_path, disk=disk, clock=StillClock(), snapshot_writer=writer)
    for producer_id in range(PRODUCERS):
        append(log, producer_id, 0)
    yield log
    if disk.failure is None:
        log.close()


def append(log: UnifiedLog, producer_id: int, sequence: int) -> None:
    """Append a record of a producer."""
    log.append_as_leader(
        batch(1, producer_id=producer_id, producer_epoch=0, base_sequence=sequence), 0
    )


def offsets(log: UnifiedLog) -> list[int]:
    """The offsets of the snapshots that exist."""
    return Snapshots(log.directory, log.local_log.disk).offsets


def snapshot(log: UnifiedLog) -> dict[int, ProducerStateEntry]:
    """The producers in the first snapshot."""
    entries = read_snapshot(snapshot_path(log.directory, PRODUCERS))
    return {entry.producer_id: entry for entry in entries}


def test_a_roll_does_not_wait_for_the_snapshot(
    log: UnifiedLog, started: list[Slices[None]]
) -> None:
    """Other tasks run between the pieces."""
    log.roll()
    assert offsets(log) == []

    pieces = sum(1 for _ in started[0])

    assert pieces == -(-PRODUCERS // PIECE_ITEMS)
    assert offsets(log) == [PRODUCERS]
    assert list(snapshot(log)) == list(range(PRODUCERS))


def test_a_snapshot_has_the_state_at_the_roll(log: UnifiedLog, started: list[Slices[None]]) -> None:
    """Batches that are appended meanwhile, and new producers, are those of the next one."""
    log.roll()
    next(started[0])
    for producer_id in (0, LAST):
        append(log, producer_id, 1)
    append(log, PRODUCERS, 0)
    finish(started[0])

    found = snapshot(log)
    assert {each: found[each].last_sequence for each in (0, LAST)} == {0: 0, LAST: 0}
    assert len(found) == PRODUCERS
    assert log.producer_state_manager.producers[LAST].last_sequence == 1


def test_a_snapshot_has_producers_that_expire_meanwhile(
    log: UnifiedLog, started: list[Slices[None]]
) -> None:
    """They had not at the roll."""
    log.roll()
    log.producer_state_manager.remove_expired(2 * NOW_MS)
    finish(started[0])

    assert log.producer_state_manager.producers == {}
    assert len(snapshot(log)) == PRODUCERS


def test_few_producers_are_written_at_once(tmp_path: Path) -> None:
    """There is nothing to wait for."""
    log = open_log(tmp_path)
    append(log, 0, 0)
    log.roll()

    assert offsets(log) == [1]
    log.close()


def test_the_next_roll_ends_the_snapshot(log: UnifiedLog, started: list[Slices[None]]) -> None:
    """Each segment has one, and the slices that are left write nothing."""
    log.roll()
    append(log, LAST, 1)
    log.roll()
    assert offsets(log) == [PRODUCERS]
    snapshot_path(log.directory, PRODUCERS).unlink()
    for each in started:
        finish(each)

    assert offsets(log) == [PRODUCERS + 1]


def test_the_close_of_the_log_ends_the_snapshot(
    log: UnifiedLog, started: list[Slices[None]]
) -> None:
    """The next start does not read the batches again."""
    log.roll()
    log.close()

    assert offsets(log) == [PRODUCERS]
    assert len(snapshot(log)) == PRODUCERS


def test_a_truncation_drops_the_snapshot(log: UnifiedLog, started: list[Slices[None]]) -> None:
    """Its batches are no longer in the log."""
    log.roll()
    log.truncate_to(10)
    finish(started[0])

    assert offsets(log) == []
    assert len(log.producer_state_manager.producers) == 10


def test_a_deleted_log_has_no_snapshot(
    log: UnifiedLog, started: list[Slices[None]], disk: FailingDisk
) -> None:
    """The directory that it would be written to is gone; the disk stays online."""
    log.roll()
    log.rename(log.directory.with_name("gone"))
    finish(started[0])

    assert disk.failure is None
    assert offsets(log) == []


def test_a_snapshot_that_cannot_be_written_takes_the_disk_offline(
    log: UnifiedLog, started: list[Slices[None]], disk: FailingDisk
) -> None:
    """As an append that fails."""
    log.roll()
    disk.broken = True
    finish(started[0])

    assert disk.failure is not None
    assert disk.failure.errno == errno.EIO

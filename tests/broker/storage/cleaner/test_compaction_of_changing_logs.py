"""A log that is truncated, or loses its oldest segments, while it is compacted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import pytest

from broker.storage.cleaner.compaction import Compaction, Step
from broker.storage.files.disk import Disk, DiskFile
from broker.storage.files.open_files import OpenFiles
from broker.storage.log.unified_log import UnifiedLog
from protocol.record_batch.record import Record
from tests.broker.storage.logs import (
    NOW_MS,
    batch_of,
    died,
    open_log,
    read_all,
    replicate,
)

SEGMENT_BYTES = 300


def changing_log(path: Path, disk: Disk | None = None) -> UnifiedLog:
    """A log of nine batches of two records, two batches in each segment."""
    log = open_log(path, segment_bytes=SEGMENT_BYTES, cleanup_policy=("compact",), disk=disk)
    for number in range(9):
        put(log, b"k%d" % number, b"same")
    assert log.segments.base_offsets == [0, 4, 8, 12, 16]
    replicate(log)
    return log


def put(log: UnifiedLog, *keys: bytes) -> None:
    """Append one batch with a record for each key."""
    values = [Record(key, b"v" * 20, timestamp=NOW_MS) for key in keys]
    log.append_as_leader(batch_of(values), 0)


def compaction(log: UnifiedLog) -> Compaction:
    """A compaction of all but the active segment."""
    return Compaction(log, 0, log.segments.active.base_offset, NOW_MS)


def take(steps: Iterator[Step], number: int) -> bool:
    """Run *number* steps; False if there are fewer."""
    return len(list(islice(steps, number))) == number


def keys(log: UnifiedLog) -> set[bytes | None]:
    return {record.key for record in read_all(log)}


def test_a_truncation_during_a_compaction_loses_no_later_record(tmp_path: Path) -> None:
    """At any step, into any segment: what is appended after it is there after a restart."""
    for end in (17, 13, 10, 5):
        for number in count(1):
            log = changing_log(tmp_path / f"{end}-{number}")
            steps = compaction(log).steps()
            if not take(steps, number):
                break
            log.truncate_to(end)
            list(steps)

            put(log, b"new")

            assert log.local_log.active in log.segments
            again = changing_log_again(log)
            assert (again.log_end_offset, keys(again)) == (log.log_end_offset, keys(log))
            assert b"new" in keys(again)
        assert number > 5


def changing_log_again(log: UnifiedLog) -> UnifiedLog:
    """The log as the next process reads it."""
    return open_log(died(log), segment_bytes=SEGMENT_BYTES, cleanup_policy=("compact",))


def test_a_record_whose_successor_is_truncated_is_kept(tmp_path: Path) -> None:
    """The compaction knows the key of the truncated record, and must not use it."""
    log = changing_log(tmp_path)
    steps = compaction(log).steps()
    assert take(steps, 4), "the keys of four segments"
    log.truncate_to(13)
    for number in range(4):
        put(log, b"k%d" % number, b"other")
    list(steps)
    # The batch of the offsets 12 and 13 is truncated as a whole.
    assert {record.offset for record in read_all(log) if record.key == b"same"} >= {11}


def test_a_log_is_dirty_from_a_truncation_on(tmp_path: Path) -> None:
    """Also if it happens after the last segment has been replaced."""
    steps_in_all = len(list(compaction(changing_log(tmp_path / "counted")).steps()))
    log = changing_log(tmp_path)
    steps = compaction(log).steps()
    assert take(steps, steps_in_all)
    log.truncate_to(9)
    for number in range(4):
        put(log, b"k%d" % number, b"other")
    list(steps)
    assert log.first_dirty_offset <= 8


@pytest.mark.parametrize("number", range(1, 5))
def test_segments_that_are_deleted_before_they_are_rewritten_are_left_out(
    tmp_path: Path, number: int
) -> None:
    """After the deletion of records; the other segments are compacted."""
    log = changing_log(tmp_path)
    steps = compaction(log).steps()
    assert take(steps, number), "a step maps the keys of a segment"
    if number == 1:
        assert take(steps, 1), "the next segment is being read"
    log.maybe_increment_log_start_offset(4)
    log.local_log.delete_first(1)
    list(steps)
    assert log.first_dirty_offset == 16
    assert [record.offset for record in read_all(log)] == [4, 6, 8, 10, 12, 14, 15, 16, 17]


def test_a_compaction_ends_if_the_segments_that_it_reads_are_deleted(tmp_path: Path) -> None:
    """Their files may not exist any more."""
    for number in count(1):
        log = changing_log(tmp_path / str(number))
        steps = compaction(log).steps()
        if not take(steps, number):
            break
        log.maybe_increment_log_start_offset(16)
        log.local_log.delete_first(4)
        list(steps)
        assert (log.segments.base_offsets, log.first_dirty_offset) == ([16], 16)
        names = sorted(path.name for path in log.directory.glob("*.log*"))
        assert names == [f"{16:020d}.log"]


def test_a_compaction_ends_if_the_log_is_no_longer_compacted(tmp_path: Path) -> None:
    """At any step: no further segment is replaced, and no unfinished file remains."""
    for number in count(1):
        log = changing_log(tmp_path / str(number))
        steps = compaction(log).steps()
        if not take(steps, number):
            break
        records = read_all(log)
        log.update_config(replace(log.config, cleanup_policy=("delete",)))
        list(steps)
        assert (read_all(log), log.first_dirty_offset) == (records, 0)
        assert not list(log.directory.glob("*.cleaned"))
    assert number > 5


def test_a_closed_compaction_leaves_no_file(tmp_path: Path) -> None:
    """The file that it was writing is closed and removed."""
    for number in count(1):
        files = OpenFiles[DiskFile]()
        log = changing_log(tmp_path / str(number), Disk(files))
        work = compaction(log)
        if not take(work.steps(), number):
            break
        work.close()
        assert not list(log.directory.glob("*.cleaned"))
        log.close()
        assert len(files) == 0

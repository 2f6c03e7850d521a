"""Tests of compacting one log: `broker.storage.cleaner.compaction`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from broker.storage.cleaner.compaction import Compaction, grouped
from broker.storage.cleaner.offloadable_call import OffloadableCall
from broker.storage.files.disk import Disk
from broker.storage.log.offset_search import search_by_timestamp
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.producers.producer_snapshot import Snapshots
from protocol.compression import Codec
from protocol.record_batch.batch import batches
from protocol.record_batch.header import check_crc
from protocol.record_batch.record import Record
from tests.broker.storage.logs import (
    NOW_MS,
    batch,
    batch_of,
    died,
    marker,
    open_log,
    read_all,
    replicate,
    searched,
    transactional,
)

DAY_MS = 86_400_000
Change = tuple[bytes, bytes | None]


def compacted_log(path: Path, **more: Any) -> UnifiedLog:
    return open_log(path, cleanup_policy=("compact",), **{"segment_bytes": 300, **more})


def write(log: UnifiedLog, changes: Sequence[Change], **more: Any) -> None:
    """Append one batch of these records."""
    values = [Record(key, value, timestamp=NOW_MS) for key, value in changes]
    log.append_as_leader(batch_of(values, **more), 0)


def compact(log: UnifiedLog, now_ms: int = NOW_MS, **more: Any) -> list[int]:
    """Compact all but the active segment; returns the size of each call."""
    replicate(log)
    end = log.segments.active.base_offset
    work = Compaction(log, log.first_dirty_offset, end, now_ms, **more)
    steps = list(work.steps())
    return [step.size_bytes for step in steps if isinstance(step, OffloadableCall)]


def state(log: UnifiedLog) -> dict[bytes | None, bytes | None]:
    """The latest value of each key."""
    found = {record.key: record.value for record in read_all(log)}
    return {key: value for key, value in found.items() if value is not None}


def offsets(log: UnifiedLog) -> list[int]:
    return [record.offset for record in read_all(log)]


def stored(log: UnifiedLog) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(log.directory.glob("*.log")))


def test_superseded_records_are_removed(tmp_path: Path) -> None:
    """The latest record of each key keeps its offset; the active segment does not change."""
    log = compacted_log(tmp_path)
    for number in range(9):
        write(log, [(b"same", b"%d" % number), (b"k%d" % number, b"v" * 20)])
    active = log.segments.active.base_offset
    before = {record.offset: record for record in read_all(log)}
    compact(log)
    after = read_all(log)
    superseded = set(range(0, active - 2, 2))
    assert {record.offset for record in after} == before.keys() - superseded
    assert all(record == before[record.offset] for record in after)
    assert (log.log_end_offset, log.first_dirty_offset) == (18, active)


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(
            st.lists(
                st.tuples(st.sampled_from([b"a", b"b", b"c", b"d" * 30]), st.none() | st.binary()),
                min_size=1,
                max_size=4,
            ),
            st.sampled_from(Codec),
        ),
        min_size=1,
        max_size=25,
    ),
    st.integers(1, 5),
)
def test_compaction_does_not_change_the_latest_values(
    writes: list[tuple[list[Change], Codec]], keys_max: int
) -> None:
    """For random records, several compactions and a small map."""
    with TemporaryDirectory() as folder:
        log = compacted_log(Path(folder))
        for changes, codec in writes:
            write(log, changes, codec=codec)
        expected, end = state(log), log.log_end_offset
        for now_ms in (NOW_MS, NOW_MS + 2 * DAY_MS, NOW_MS + 4 * DAY_MS):
            compact(log, now_ms, keys_max=keys_max)
            assert state(log) == expected
            assert offsets(log) == sorted(set(offsets(log)))
        content = stored(log)
        assert all(
            check_crc(content[at : at + header.size], header) for at, header in batches(content)
        )
        again = compacted_log(died(log))
        assert (state(again), again.log_end_offset) == (expected, end)


def test_a_tombstone_is_removed_after_its_delete_horizon(tmp_path: Path) -> None:
    """The first compaction sets the horizon, and removes the records it deletes."""
    log = compacted_log(tmp_path, delete_retention_ms=1000)
    write(log, [(b"k", b"v" * 100)])
    write(log, [(b"k", None), (b"other", b"v" * 100)])
    write(log, [(b"more", b"v" * 200)])
    compact(log)
    assert offsets(log) == [1, 2, 3]
    header = next(header for _, header in batches(stored(log)))
    assert header.delete_horizon_ms == NOW_MS + 1000
    write(log, [(b"more", b"v" * 200)])
    compact(log, NOW_MS + 999)
    assert 1 in offsets(log)
    write(log, [(b"more", b"v" * 200)])
    compact(log, NOW_MS + 1000)
    assert 1 not in offsets(log)
    assert 2 in offsets(log)


def test_the_last_batch_of_a_producer_is_kept_without_records(tmp_path: Path) -> None:
    """After a restart the producer's next sequence number is still known."""
    log = compacted_log(tmp_path)
    for sequence in range(4):
        producer = {"producer_id": 5, "producer_epoch": 0, "base_sequence": sequence}
        write(log, [(b"k", b"v" * 100)], **producer)
    for _ in range(4):
        write(log, [(b"k", b"v" * 100)])
    compact(log)
    (empty,) = [header for _, header in batches(stored(log)) if not header.records_count]
    assert (empty.producer_id, empty.last_sequence, empty.last_offset) == (5, 3, 3)
    for path in log.directory.glob("*.snapshot"):
        path.unlink()
    again = compacted_log(died(log))
    retried = batch_of([Record(b"k", b"v" * 100)], producer_id=5, producer_epoch=0, base_sequence=3)
    assert again.append_as_leader(retried, 0).duplicate


def test_small_segments_are_merged(tmp_path: Path) -> None:
    """The snapshots of removed segments are removed, too."""
    log = compacted_log(tmp_path)
    for _ in range(12):
        write(log, [(b"k", b"v" * 100)])
    many = len(log.segments.base_offsets)
    compact(log)
    # The sizes before count, as with Kafka: the first compaction joins nothing yet.
    assert len(log.segments.base_offsets) == many
    for _ in range(3):
        write(log, [(b"k", b"v" * 100)])
    compact(log)
    assert len(log.segments.base_offsets) < many / 2
    assert set(Snapshots(log.directory, Disk()).offsets) <= set(log.segments.base_offsets)
    latest = offsets(log)
    assert latest[-1] == 14
    log.close()
    again = compacted_log(tmp_path, clean=True)
    assert offsets(again) == latest
    assert not list(log.directory.glob("*.cleaned"))


def test_a_batch_with_more_keys_than_the_map_is_compacted_in_parts(tmp_path: Path) -> None:
    """Each round continues where the map was full, in the middle of the batch."""
    log = compacted_log(tmp_path)
    write(log, [(b"0", b"old" * 50)])
    write(log, [(b"%d" % number, b"v" * 20) for number in range(7)])
    write(log, [(b"new", b"v" * 200)])
    latest = state(log)
    ends = []
    for _ in range(3):
        compact(log, keys_max=3)
        ends.append(log.first_dirty_offset)
    assert ends == [4, 7, 8]
    assert state(log) == latest
    assert offsets(log) == list(range(1, 9))


def test_reads_continue_after_gaps(tmp_path: Path) -> None:
    """A read of a removed offset, or a search, finds the next record."""
    log = compacted_log(tmp_path)
    for number in range(10):
        write(log, [(b"k", b"%d" % number * 100)])
    compact(log)
    for segment in log.segments:
        segment.file.set_modified_ms(NOW_MS - 1)  # without batches it is the timestamp
    assert [record.offset for record in read_all(log, 3)] == offsets(log)
    found = searched(search_by_timestamp(log, NOW_MS))
    assert found is not None
    assert found.offset == offsets(log)[0]
    replica = compacted_log(tmp_path / "replica")
    while replica.log_end_offset < log.log_end_offset:
        data = log.read(replica.log_end_offset, 1 << 20, log.log_end_offset_metadata, True).records
        replica.append_as_follower(memoryview(data), 0)
    assert offsets(replica) == offsets(log)


def test_aborted_records_are_removed_and_markers_kept(tmp_path: Path) -> None:
    """They supersede no other record; the transaction index keeps the transaction."""
    log = compacted_log(tmp_path)
    write(log, [(b"k", b"v" * 100)])
    log.append_as_follower(transactional(1, 0, key=b"k", size=100), 0)
    log.append_as_follower(marker(3, abort=True), 0)
    log.append_as_follower(transactional(4, 2, key=b"t", size=100), 0)
    log.append_as_follower(marker(6, abort=False), 0)
    log.append_as_follower(batch(1, base_offset=7, key=b"x", size=250), 0)
    aborted = log.aborted_transactions(0, 8)
    assert len(aborted) == 1
    compact(log)
    assert offsets(log) == [0, 3, 5, 6, 7]
    assert log.aborted_transactions(0, 8) == aborted
    again = compacted_log(died(log))
    assert set(again.aborted_transactions(0, 8)) <= set(aborted)
    assert offsets(again) == [0, 3, 5, 6, 7]


def test_a_compaction_ends_if_the_log_changes(tmp_path: Path) -> None:
    """After retention or a truncation."""
    log = compacted_log(tmp_path)
    for _ in range(8):
        write(log, [(b"k", b"v" * 100)])
    replicate(log)
    work = Compaction(log, 0, log.segments.active.base_offset, NOW_MS).steps()
    next(work)
    log.truncate_fully_and_start_at(100)
    write(log, [(b"k", b"v")])
    list(work)
    assert (offsets(log), log.first_dirty_offset) == ([100], 100)
    assert not list(log.directory.glob("*.cleaned"))


class DyingDisk(Disk):
    """The process dies when it renames a file after ``renames_left`` others."""

    renames_left = 1000

    def rename(self, path: Path, to: Path) -> None:
        self.renames_left -= path.exists() and path.suffix != ".tmp"
        if self.renames_left < 0:
            raise KeyboardInterrupt
        super().rename(path, to)


def dies_compacting(log: UnifiedLog, disk: DyingDisk, renames: int, now_ms: int) -> bool:
    """Compact until a crash after *renames* renames; returns whether there was one."""
    replicate(log)
    end = log.segments.active.base_offset
    disk.renames_left = renames
    try:
        list(Compaction(log, 0, end, now_ms).steps())
    except KeyboardInterrupt:
        return True
    return False


def test_a_crash_while_segments_are_replaced_loses_nothing(tmp_path: Path) -> None:
    """After a crash between any two renames no record is lost, and no deleted one is back."""
    for renames in count():
        disk = DyingDisk()
        log = compacted_log(tmp_path / str(renames), delete_retention_ms=0, disk=disk)
        write(log, [(b"dead", b"v" * 150)])
        write(log, [(b"dead", None), (b"k", b"1" * 150)])
        write(log, [(b"k", b"2" * 150)])
        write(log, [(b"k", b"3" * 150)])
        write(log, [(b"z", b"4" * 150)])
        compact(log)
        expected = state(log)
        died_in_the_middle = dies_compacting(log, disk, renames, NOW_MS + 1)
        again = compacted_log(died(log))
        assert state(again) == expected
        assert offsets(again) == sorted(set(offsets(again)))
        left = {path.suffix for path in log.directory.iterdir()}
        assert not left & {".swap", ".cleaned", ".deleted"}
        if not died_in_the_middle:
            break
    assert renames >= 3 + 3 + 3, "cleaned, deleted, and named as before, three files each"


def test_groups_have_segments_that_fit_together(tmp_path: Path) -> None:
    """By size, by index size and by range of offsets."""
    log = compacted_log(tmp_path)
    for _ in range(8):
        write(log, [(b"k", b"v" * 100)])
    segments = log.segments.inactive()
    sizes = [segment.size for segment, _ in segments]

    def groups(**config: int) -> list[int]:
        settings = LogConfig(**config)  # type: ignore[arg-type]  # sizes only
        return [len(group) for group in grouped(segments, settings)]

    assert groups() == [len(segments)]
    assert groups(segment_bytes=sum(sizes[:2])) == [2, 2, 2, 1]
    assert groups(segment_index_bytes=12) == [1] * len(segments)
    far = [(segment, end + number * 2**31) for number, (segment, end) in enumerate(segments)]
    assert [len(group) for group in grouped(far, LogConfig())] == [1] * len(segments)


def test_a_marker_is_removed_after_its_transactions_batches(tmp_path: Path) -> None:
    """It first gets a delete horizon; the transaction index then loses the entry."""
    log = compacted_log(tmp_path, delete_retention_ms=1000)
    log.append_as_follower(transactional(0, 0, key=b"k", size=100), 0)
    log.append_as_follower(marker(2, abort=True), 0)
    log.append_as_follower(transactional(3, 2, key=b"k", size=100), 0)
    log.append_as_follower(marker(5, abort=False), 0)
    for offset in (6, 7):
        log.append_as_follower(batch(1, base_offset=offset, key=b"k", size=250), 0)
    seen = []
    for seconds in range(4):
        compact(log, NOW_MS + seconds * 1000)
        seen.append((offsets(log), len(log.aborted_transactions(0, 8))))
        log.local_log.compacted_to = 0
    # The first met the aborted records, the second the emptied batch that the producer has left.
    assert seen == [([2, 5, 6, 7], 1), ([2, 5, 6, 7], 0), ([5, 6, 7], 0), ([5, 6, 7], 0)]
    (producer,) = log.producer_state_manager.producers.values()
    assert producer.last_sequence == 3


def test_a_marker_that_fences_its_producer_is_kept(tmp_path: Path) -> None:
    """It is the only batch with the producer's epoch; Kafka keeps it without records, too."""
    log = compacted_log(tmp_path, delete_retention_ms=0)
    log.append_as_follower(transactional(0, 0, key=b"k", size=100), 0)
    log.append_as_follower(marker(2, epoch=1, abort=True), 0)
    for offset in (3, 4):
        log.append_as_follower(batch(1, base_offset=offset, key=b"k", size=250), 0)
    for seconds in range(4):
        log.local_log.compacted_to = 0
        compact(log, NOW_MS + seconds)
    found = [(each.last_offset, each.records_count) for _, each in batches(stored(log))]
    assert found == [(2, 0), (3, 1), (4, 1)]


def test_the_last_batch_of_all_is_kept_without_records(tmp_path: Path) -> None:
    """A follower that copies the log must reach the same end."""
    log = compacted_log(tmp_path, delete_retention_ms=0)
    write(log, [(b"k", b"v" * 200)])
    write(log, [(b"gone", None)])
    log.roll()
    write(log, [(b"k", b"w")])
    for now_ms in (NOW_MS, NOW_MS + 1):
        log.local_log.compacted_to = 0
        compact(log, now_ms)
    heads = [header for _, header in batches(stored(log))]
    found = [(header.last_offset, header.records_count) for header in heads]
    assert found == [(0, 1), (1, 0), (2, 1)]


def test_a_gap_before_the_next_segment_is_not_dirty(tmp_path: Path) -> None:
    """Otherwise the part before it would be dirty forever."""
    log = compacted_log(tmp_path)
    far = 3_000_000_000
    for offset in (0, far, far + 1):
        log.append_as_follower(batch(1, base_offset=offset, key=b"k", size=200), 0)
    assert log.segments.base_offsets == [0, far, far + 1]
    compact(log)
    assert log.first_dirty_offset == far + 1


def test_the_clean_part_is_not_read_for_its_keys(tmp_path: Path) -> None:
    """It may be a thousand times as large as the dirty part."""
    log = compacted_log(tmp_path)
    for number in range(10):
        write(log, [(b"%d" % number, b"v" * 200)])
    compact(log)
    for number in range(2):
        write(log, [(b"new%d" % number, b"v" * 200)])
    sizes = [segment.size for segment, _ in log.segments.inactive()]
    assert compact(log) == [*sizes[-2:], *sizes]

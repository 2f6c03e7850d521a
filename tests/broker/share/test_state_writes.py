"""What is written to the share coordinator, and what happens while and after it is."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.share.persister import PersisterStateBatch as Batch
from broker.share.persister import ReadResult
from broker.share.share_partition import PartitionState
from protocol.errors import ErrorCode
from tests.broker.share.bench import LOCK_MS, Bench, Settings


@pytest.fixture
def bench() -> Bench:
    """Member a has acquired the records 0 to 9, and the persister is slow."""
    bench = Bench()
    bench.acquire("a", "0-9")
    bench.persister.is_slow = True
    return bench


def test_a_write_has_all_changed_ranges_and_both_epochs(bench: Bench) -> None:
    """The start offset is that before the change; complete records are counted."""
    bench.acknowledge("a", "0-4 accept", "5-6 release", "7-9 accept")
    (write,) = bench.persister.writes
    assert (write.state_epoch, write.leader_epoch, write.start_offset) == (7, 3, 0)
    assert write.delivery_complete_count == 8
    assert write.batches == (Batch(0, 4, 2, 1), Batch(5, 6, 0, 1), Batch(7, 9, 2, 1))


def test_adjacent_ranges_with_the_same_state_are_one(bench: Bench) -> None:
    """Ranges are joined if state and delivery count are equal."""
    bench.acknowledge("a", "0-4 accept", "5-9 accept")
    assert bench.persister.writes[0].batches == (Batch(0, 9, 2, 1),)


def test_an_acknowledgement_is_answered_after_the_write(bench: Bench) -> None:
    """Start and availability change with the result of the write."""
    assert bench.acknowledge("a", "0-9 accept") is None
    assert bench.offsets == (0, 10)
    bench.persister.answer()
    assert bench.offsets == (10, 10)


def test_released_records_are_available_after_the_write(bench: Bench) -> None:
    """While the write is in progress nobody can acquire them."""
    bench.acknowledge("a", "0-9 release")
    assert bench.acquire("b", "0-9", fetch_offset=0) == ""
    bench.persister.answer()
    assert bench.acquire("b", "0-9") == "0-9#2"


def test_a_failed_write_is_rolled_back(bench: Bench) -> None:
    """The member still has the records, with the same lock."""
    bench.acknowledge("a", "0-4 accept")
    bench.persister.answer(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert bench.runs() == ["0-4 ACQUIRED #1 a", "5-9 ACQUIRED #1 a"]
    assert bench.partition.records.complete_count == 0
    bench.persister.is_slow = False
    bench.wait(LOCK_MS)
    assert bench.runs() == ["0-4 AVAILABLE #1", "5-9 AVAILABLE #1"]


def test_a_lock_that_expires_during_a_failed_write_releases(bench: Bench) -> None:
    """The roll back does not give the records back to the member."""
    bench.acknowledge("a", "0-9 accept")
    bench.wait(LOCK_MS)
    assert bench.runs() == ["0-9 ACKNOWLEDGED #1"]
    bench.persister.answer(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert bench.runs() == ["0-9 AVAILABLE #1"]


def test_a_lock_that_expires_during_the_write_does_not_undo_it(bench: Bench) -> None:
    """An acknowledgement that arrived in time counts."""
    bench.acknowledge("a", "0-9 accept")
    bench.wait(LOCK_MS)
    bench.persister.answer()
    assert bench.offsets == (10, 10)


def test_a_fenced_write_ends_the_share_partition(bench: Bench) -> None:
    """The offsets of the group were altered, so the state is read again."""
    bench.acknowledge("a", "0-9 accept")
    bench.persister.answer(ErrorCode.FENCED_STATE_EPOCH)
    assert bench.fenced == [bench.partition]


def test_an_expiry_that_is_fenced_ends_the_share_partition(bench: Bench) -> None:
    """A leader that has been replaced detects it with its next write."""
    bench.wait(LOCK_MS)
    bench.persister.answer(ErrorCode.FENCED_LEADER_EPOCH)
    assert bench.fenced == [bench.partition]


def test_the_stored_state_is_continued() -> None:
    """Stored batches keep their states and counts; offsets between them are fetched again."""
    stored = [(2, 4, 2, 1), (8, 9, 0, 3)]
    bench = Bench(start_offset=0, stored=stored)
    assert bench.initialized == [ErrorCode.NONE]
    assert bench.offsets == (0, 0)
    assert bench.acquire("a", "0-4 5-9 10-19") == "0-1#1 5-7#1"
    assert bench.acquire("a", "5-9 10-19") == "8-8#4"


def test_complete_batches_at_the_start_are_passed() -> None:
    """Batches that are complete are not in the window, unless there is a gap before them."""
    bench = Bench(start_offset=0, stored=[(0, 4, 2, 1), (5, 9, 4, 5)])
    assert bench.offsets == (10, 10)
    assert bench.runs() == []


def test_the_start_does_not_pass_a_gap() -> None:
    """The records of a gap have not been delivered yet."""
    bench = Bench(start_offset=0, stored=[(0, 4, 2, 1), (8, 9, 2, 1)])
    assert bench.offsets == (5, 5)
    assert bench.acquire("a", "0-9") == "5-7#1"
    bench.acknowledge("a", "5-7 accept")
    assert bench.offsets == (10, 10)


def test_a_gap_without_records_is_closed_by_a_fetch() -> None:
    """Compaction may have removed the records of a gap."""
    bench = Bench(start_offset=0, stored=[(0, 4, 2, 1), (8, 9, 0, 1)])
    assert bench.acquire("a", "8-9") == "8-9#2"
    assert bench.offsets == (5, 10)


def test_a_gap_begins_within_a_batch() -> None:
    """The records of the batch before the gap are complete."""
    bench = Bench(stored=[(0, 5, 2, 1), (7, 8, 2, 1)])
    assert bench.offsets == (6, 6)
    assert bench.acquire("a", "2-6 7-9") == "6-6#1 9-9#1"


def test_a_state_without_start_begins_at_the_reset_offset() -> None:
    """The settings of the group say where it begins in a partition that it has not read."""
    bench = Bench(start_offset=-1, reset=42)
    assert bench.offsets == (42, 42)


@pytest.mark.parametrize("stored", [[(3, 4, 2, 1)], [(5, 9, 2, 1), (8, 9, 2, 1)], [(5, 9, 7, 1)]])
def test_an_invalid_state_is_not_used(stored: list[tuple[int, int, int, int]]) -> None:
    """Batches before the start offset, overlapping ones and unknown states are refused."""
    bench = Bench(start_offset=5, stored=stored)
    assert bench.initialized == [ErrorCode.UNKNOWN_SERVER_ERROR]
    assert bench.partition.state is not PartitionState.ACTIVE


def test_a_refused_read_is_the_error_of_the_partition() -> None:
    """A state that was never initialized is an unknown error, as in Kafka."""
    bench = Bench()
    bench.partition.state = PartitionState.EMPTY
    bench.persister.state = ReadResult(error=ErrorCode.INVALID_REQUEST)
    bench.partition.initialize(lambda: 0, lambda error, _: bench.initialized.append(error))
    assert bench.initialized[-1] is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_refused_reset_is_the_error_of_the_partition() -> None:
    """The log may have no record from which the group can begin."""

    def refuse() -> int:
        raise ApiError(ErrorCode.OFFSET_NOT_AVAILABLE)

    bench = Bench()
    bench.partition.state = PartitionState.EMPTY
    bench.persister.state = ReadResult(start_offset=-1)
    bench.partition.initialize(refuse, lambda error, _: bench.initialized.append(error))
    assert bench.initialized[-1] is ErrorCode.OFFSET_NOT_AVAILABLE


def test_deleted_records_leave_the_window() -> None:
    """When the log start moves, available records are archived and acquired ones stay."""
    bench = Bench()
    bench.acquire("a", "0-9 10-19 20-29", 10)
    bench.acquire("b", "0-9 10-19 20-29", 10)
    bench.acknowledge("a", "0-9 release")
    bench.partition.log_start_moved(15)
    assert bench.offsets == (15, 20)
    assert bench.runs() == ["0-9 ARCHIVED #1", "10-19 ACQUIRED #1 b"]
    assert bench.acknowledge("b", "10-19 release") is ErrorCode.NONE
    assert bench.runs() == ["10-14 ACQUIRED #1 b", "15-19 AVAILABLE #1"]
    bench.wait(LOCK_MS)
    assert bench.runs() == ["10-14 ARCHIVED #1", "15-19 AVAILABLE #1"]


def test_a_log_start_after_the_window_begins_anew() -> None:
    """The next record is the first of the log; acknowledgements of older ones have no effect."""
    bench = Bench()
    bench.acquire("a", "0-9")
    bench.partition.log_start_moved(50)
    assert bench.offsets == (50, 50)
    assert bench.acknowledge("a", "0-9 accept") is ErrorCode.NONE
    assert bench.acquire("b", "50-59") == "50-59#1"
    bench.wait(LOCK_MS)
    assert bench.runs() == ["50-59 AVAILABLE #1"]


def test_the_last_record_of_a_batch_is_fetched_once_after_the_others_are_deleted() -> None:
    """Also while a deleted record of an earlier batch is acquired."""
    bench = Bench()
    bench.acquire("a", "0-9")
    bench.acquire("b", "10-19")
    bench.acknowledge("b", "10-19 release")
    bench.partition.log_start_moved(19)
    assert bench.acquire("b", "10-19", 1, exact=True) == "19-19#2"

    bench.acknowledge("b", "19-19 accept")

    assert bench.offsets == (19, 20)
    assert bench.runs()[0] == "0-9 ACQUIRED #1 a"
    assert bench.acquire("b", "20-29") == "20-29#1"


def test_the_start_does_not_pass_while_a_deleted_record_is_acquired() -> None:
    """It moves when the lock of the record ends, as in Kafka."""
    bench = Bench()
    bench.acquire("a", "0-9")
    bench.wait(1000)
    bench.acquire("b", "10-19")
    bench.partition.log_start_moved(10)
    bench.acknowledge("b", "10-12 accept")
    assert bench.offsets == (10, 20)
    assert bench.persister.writes[-1].delivery_complete_count == 3
    bench.wait(LOCK_MS - 1000)
    assert bench.offsets == (13, 20)


def test_deleted_records_of_a_batch_are_acquired_with_its_others() -> None:
    """A read begins with a whole batch, unless nothing is in flight."""
    bench = Bench()
    bench.acquire("a", "0-9")
    bench.partition.log_start_moved(15)
    assert bench.acquire("b", "10-19 20-29") == "10-29#1"
    assert bench.offsets == (15, 30)
    bench = Bench()
    bench.acquire("a", "0-9")
    bench.acknowledge("a", "0-9 release")
    bench.partition.log_start_moved(15)
    assert bench.acquire("b", "10-19 20-29", 2, exact=True) == "10-11#1"
    bench = Bench(start_offset=15)
    assert bench.acquire("b", "10-19 20-29") == "15-29#1"


def test_a_million_changes_leave_nothing_behind() -> None:
    """Batches, locks and timer tasks of complete records are gone."""
    bench = Bench(Settings(partition_max_record_locks=10_000))
    for first in range(0, 1_000_000, 500):
        bench.acquire("a", f"{first}-{first + 499}")
        bench.acknowledge("a", f"{first}-{first + 499} accept")
    assert bench.offsets == (1_000_000, 1_000_000)
    assert (bench.timer.size, len(bench.partition.records.window)) == (0, 0)

"""Which records a member acquires."""

from __future__ import annotations

import pytest

from protocol.errors import ErrorCode
from tests.broker.share.bench import Bench, Settings


def test_whole_batches_are_acquired_beyond_max_records() -> None:
    """The limit is rounded up to the end of a record batch."""
    bench = Bench()
    assert bench.acquire("a", "0-9 10-19 20-29", 12) == "0-19#1"
    assert bench.offsets == (0, 20)


def test_one_record_acquires_its_whole_batch() -> None:
    """A limit of one acquires the batch that has the record."""
    assert Bench().acquire("a", "0-9 10-19", 1) == "0-9#1"


def test_ranges_are_split_at_batches_after_the_batch_size() -> None:
    """A range ends before the first batch that begins at least ``batch_size`` offsets later."""
    acquired = Bench().acquire("a", "0-3 4-7 8-11 12-15", batch_size=5)
    assert acquired == "0-7#1 8-15#1"


def test_a_batch_is_not_split_by_the_batch_size() -> None:
    """A record batch longer than ``batch_size`` is one range."""
    assert Bench().acquire("a", "0-9 10-19", batch_size=3) == "0-9#1 10-19#1"


@pytest.mark.parametrize("batch_size", [0, -1, -(2**31)])
def test_a_batch_size_that_is_not_positive_has_an_empty_range(batch_size: int) -> None:
    """As in Kafka it ends before the first batch; the others are one batch each."""
    bench = Bench()
    acquired = bench.acquire("a", "0-2 3-5 6-8", batch_size=batch_size)
    assert acquired == "0--1#1 0-2#1 3-5#1 6-8#1"
    assert bench.acknowledge("a", "0-8 accept") is ErrorCode.NONE
    assert bench.acquire("a", "9-9", batch_size=batch_size) == "9-8#1 9-9#1"


def test_a_second_member_gets_the_next_records() -> None:
    """Acquired records are not delivered to others."""
    bench = Bench()
    bench.acquire("a", "0-9 10-19", 10)
    assert bench.acquire("b", "0-9 10-19", 10) == "10-19#1"


def test_nothing_is_acquired_twice() -> None:
    """A fetch of acquired records gets nothing."""
    bench = Bench()
    bench.acquire("a", "0-9")
    assert bench.acquire("b", "0-9", fetch_offset=0) == ""


def test_released_records_come_before_new_ones() -> None:
    """A fetch begins at the first available record, and goes on to new ones."""
    bench = Bench()
    bench.acquire("a", "0-9")
    bench.acknowledge("a", "0-3 accept", "4-5 release", "6-9 accept")
    assert bench.offsets == (4, 4)
    assert bench.acquire("b", "0-9 10-19") == "4-5#2 10-19#1"


def test_the_record_limit_is_exact() -> None:
    """With the mode record_limit the rest of a batch stays available, with count 0 (KIP-1206)."""
    bench = Bench()
    assert bench.acquire("a", "0-9 10-19", 4, exact=True) == "0-3#1"
    assert bench.acquire("b", "0-9 10-19", 4, exact=True) == "4-7#1"
    assert bench.acquire("c", "0-9 10-19", 15, exact=True) == "8-9#1 10-19#1"


def test_the_record_limit_has_no_batch_size() -> None:
    """New records are one batch in flight."""
    bench = Bench()
    assert bench.acquire("a", "0-1 2-3 4-11", batch_size=2, exact=True) == "0-11#1"


def test_modes_may_be_mixed() -> None:
    """What one member leaves of a batch, another acquires with whole batches."""
    bench = Bench()
    bench.acquire("a", "0-9", 4, exact=True)
    assert bench.acquire("b", "0-9 10-19", 8) == "4-9#1 10-19#1"


def test_a_full_window_ends_acquisition() -> None:
    """New records are acquired while the window has room."""
    bench = Bench(Settings(partition_max_record_locks=100))
    batches = " ".join(f"{first}-{first + 9}" for first in range(0, 200, 10))
    assert bench.acquire("a", batches) == "0-99#1"
    assert not bench.partition.can_acquire()
    assert bench.acquire("b", batches, fetch_offset=100) == ""


def test_a_batch_may_exceed_the_window() -> None:
    """One batch is acquired whole, even if it is longer than the window."""
    bench = Bench(Settings(partition_max_record_locks=100))
    assert bench.acquire("a", "0-249") == "0-249#1"


def test_released_records_are_acquired_from_a_full_window() -> None:
    """A full window still delivers what is available in it, and nothing new."""
    bench = Bench(Settings(partition_max_record_locks=100))
    bench.acquire("a", "0-99")
    bench.acknowledge("a", "40-59 release")
    assert bench.partition.can_acquire()
    assert bench.acquire("b", "0-99 100-199") == "40-59#2"


def test_acknowledged_records_in_the_middle_free_no_room() -> None:
    """The window is counted in offsets from the start, so only its start makes room."""
    bench = Bench(Settings(partition_max_record_locks=100))
    bench.acquire("a", "0-49 50-99")
    bench.acknowledge("a", "50-99 accept")
    assert not bench.partition.can_acquire()
    bench.acknowledge("a", "0-49 accept")
    assert bench.partition.can_acquire()
    assert bench.offsets == (100, 100)


def test_offsets_without_records_are_skipped() -> None:
    """After compaction the first batch may begin after the fetch offset."""
    bench = Bench()
    assert bench.acquire("a", "5-9 20-29") == "5-29#1"
    assert bench.offsets == (5, 30)


def test_compacted_records_are_archived() -> None:
    """Available records that the log does not have any more are not waited for."""
    bench = Bench()
    bench.acquire("a", "0-9 10-19", batch_size=1)
    bench.acknowledge("a", "0-19 release")
    assert bench.acquire("b", "10-19") == "10-19#2"
    assert bench.runs() == ["0-9 ARCHIVED #1", "10-19 ACQUIRED #2 b"]


def test_compacted_records_between_two_batches_are_delivered_again() -> None:
    """Only those before the first batch of a read are archived."""
    bench = Bench()
    bench.acquire("a", "0-4 5-9 10-14", batch_size=1)
    bench.acknowledge("a", "0-14 release")
    assert bench.acquire("b", "0-4 10-14") == "0-4#2 5-9#2 10-14#2"


def test_new_records_begin_after_the_batch_before_them() -> None:
    """Offsets that were compacted are acquired with the records after them."""
    bench = Bench()
    bench.acquire("a", "0-4")
    bench.acknowledge("a", "0-4 release")
    assert bench.acquire("b", "0-4 10-14 15-19") == "0-4#2 5-19#1"


def test_a_stored_gap_is_acquired_as_a_whole() -> None:
    """Also the part of it that was compacted."""
    bench = Bench(stored=[(10, 14, 0, 1)])
    assert bench.acquire("a", "0-4 10-14 15-19") == "0-9#1 10-14#2 15-19#1"
    bench = Bench(stored=[(0, 4, 0, 1), (10, 14, 0, 1)])
    assert bench.acquire("a", "0-4 10-14") == "0-4#2 5-9#1 10-14#2"


def test_aborted_records_are_archived() -> None:
    """With read_committed the records of aborted transactions are left out of the answer."""
    bench = Bench()
    assert bench.acquire("a", "0-1 2-4 5-10", aborted=[(2, 4)]) == "0-1#1 5-10#1"
    assert bench.runs() == ["0-1 ACQUIRED #1 a", "2-4 ARCHIVED #1", "5-10 ACQUIRED #1 a"]


def test_archived_records_move_the_start_with_the_next_change() -> None:
    """Until then they are in flight, and cannot be acknowledged."""
    bench = Bench()
    assert bench.acquire("a", "0-1 2-2", aborted=[(0, 1)]) == "2-2#1"
    assert bench.offsets == (0, 3)
    assert bench.acknowledge("a", "0-1 accept") is ErrorCode.INVALID_RECORD_STATE
    bench.acknowledge("a", "2-2 gap")
    assert bench.offsets == (3, 3)


@pytest.mark.parametrize(
    ("limit", "lengths"),
    [(5, [10, 10, 10, 5, 1]), (2, [10, 10]), (3, [10, 10, 1]), (10, [10] * 5 + [5, 2, 1, 1, 1])],
)
def test_records_that_were_delivered_often_come_in_smaller_groups(
    limit: int, lengths: list[int]
) -> None:
    """From half of the limit on the group is halved, and the last delivery is of one record."""
    bench = Bench(Settings(delivery_count_limit=limit))
    found = []
    for _ in lengths:
        acquired = bench.acquire("a", "0-9", fetch_offset=0)
        first, last = (int(each) for each in acquired.split()[0].partition("#")[0].split("-"))
        found.append(last - first + 1)
        bench.acknowledge("a", f"{first}-{last} release")
    assert found == lengths


def test_one_bad_record_is_delivered_alone_until_it_is_archived() -> None:
    """The neighbours of a record that always fails are delivered fewer times than it."""
    bench = Bench()
    history = []
    for _ in range(20):
        acquired = bench.acquire("a", "0-9", fetch_offset=0)
        if not acquired:
            break
        history.append(acquired)
        bench.release("a")
    assert history[:5] == ["0-9#1", "0-9#2", "0-9#3", "0-4#4", "0-0#5"]
    assert history[5:10] == ["1-1#5", "2-2#5", "3-3#5", "4-4#5", "5-9#4"]
    assert bench.offsets == (10, 10)


@pytest.mark.parametrize(
    ("good", "acquired"), [("0-2", "0-2#2 3-4#4"), ("0-5", "0-5#2 6-9#4"), ("0-4", "0-4#2 5-9#4")]
)
def test_records_before_a_bad_one_count(good: str, acquired: str) -> None:
    """A group ends when all of its records are as many as a bad one allows, which are 5 here."""
    bench = Bench()
    bench.acquire("a", "0-9")
    bad = f"{int(good[2]) + 1}-9 release"
    for _ in range(2):
        bench.acknowledge("a", bad)
        bench.acquire("a", "0-9")
    bench.acknowledge("a", bad)
    bench.acknowledge("a", f"{good} release")
    assert bench.acquire("a", "0-9") == acquired


def test_a_batch_delivered_often_is_split_also_when_it_is_acquired_whole() -> None:
    """Refusals are then about an offset and not about the batch."""
    bench = Bench()
    for _ in range(3):
        bench.acquire("a", "0-0")
        bench.acknowledge("a", "0-0 release")
    assert bench.acquire("a", "0-0") == "0-0#4"
    assert [each.is_split for each in bench.partition.records.window.batches] == [True]


def test_more_records_before_a_bad_one_than_it_allows_are_no_limit() -> None:
    """As in Kafka the group then has all bad records."""
    bench = Bench(Settings(delivery_count_limit=4))
    bench.acquire("a", "0-9")
    bench.acknowledge("a", "7-9 release")
    bench.acquire("a", "0-9")
    bench.acknowledge("a", "0-9 release")
    assert bench.acquire("a", "0-9") == "0-6#2 7-9#3"


def test_a_bad_record_does_not_join_others() -> None:
    """An acquisition that has records ends before a batch that was delivered often."""
    bench = Bench()
    bench.acquire("a", "0-9 10-19", batch_size=1)
    bench.acknowledge("a", "0-19 release")
    for _ in range(2):
        bench.acquire("a", "10-19", fetch_offset=10)
        bench.acknowledge("a", "10-19 release")
    assert bench.acquire("b", "0-9 10-19", fetch_offset=0) == "0-9#2"

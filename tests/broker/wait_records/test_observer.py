"""What the wait record of a request has for each partition."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.files.disk import Disk
from broker.storage.segments.file_slice import FileSlice
from broker.wait_records.observer import RequestObserver, size_of
from broker.wait_records.record import PartitionFacts
from broker.wait_records.trace_parents import TraceParents
from broker.wait_records.wait import WaitPartition
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record
from tests.batches import batch
from tests.broker.wait_records.records import wait_record

HOSTED, MISSING = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.fixture
def observer() -> RequestObserver:
    """On a node with one partition, whose log ends at offset 9."""
    log = SimpleNamespace(high_watermark=7, log_end_offset=9)
    return RequestObserver(wait_record(), {HOSTED: SimpleNamespace(log=log)})


def test_a_result_has_the_measured_size_and_the_offsets_of_the_log(
    observer: RequestObserver,
) -> None:
    """The records of a produce are measured before they are appended."""
    records = batch(b"a", b"b")
    observer.measure(HOSTED, records)
    observer.add_result(HOSTED, 5, 0)

    assert observer.record.partitions == [PartitionFacts("t", 0, 5, 2, len(records), 0, 7, 9)]


def test_headers_are_read_only_on_request(observer: RequestObserver) -> None:
    """Of produced records, and of those that a consumer is sent; a follower replicates them."""
    header = "00-" + "1" * 32 + "-" + "2" * 16 + "-01"
    traced = build_batch([Record(None, b"v", [("traceparent", header.encode())], 0)])
    reading, replicating = (RequestObserver(wait_record(), {}, TraceParents()) for _ in range(2))
    replicating.record.follower = True
    for each in (observer, reading, replicating):
        each.deliver(MISSING, 5, 0, traced)
    observer.measure(MISSING, traced)

    assert [list(each.record.traces) for each in (observer, reading, replicating)] == [
        [],
        [header],
        [],
    ]
    assert reading.record.partitions == [PartitionFacts("t", 1, 5, 1, len(traced), 0, -1, -1)]


def test_a_result_of_a_missing_partition_has_no_offsets(observer: RequestObserver) -> None:
    """Nor a size, if nothing was measured."""
    observer.add_result(MISSING, -1, 3)

    assert observer.record.partitions == [PartitionFacts("t", 1, -1, 0, 0, 3, -1, -1)]


def test_a_result_may_have_a_size_of_its_own(observer: RequestObserver) -> None:
    """A fetched partition has that of the batches in the response."""
    observer.add_result(HOSTED, 5, 0, (1, 70))

    assert observer.record.partitions == [PartitionFacts("t", 0, 5, 1, 70, 0, 7, 9)]


def test_an_abandoned_request_has_the_partitions_of_its_wait(observer: RequestObserver) -> None:
    """They replace results that were added before, and have the measured sizes."""
    observer.measure(HOSTED, batch(b"a"))
    observer.add_result(MISSING, -1, 3)
    observer.replace_results([WaitPartition(HOSTED, 5, 0)])

    [partition] = observer.record.partitions
    assert (partition.partition, partition.offset, partition.records) == (0, 5, 1)


def test_the_size_counts_whole_batches() -> None:
    """The records of each, and all bytes."""
    data = batch(b"a", b"b") + batch(b"c")

    assert size_of(data) == (3, len(data))


def test_an_incomplete_batch_at_the_end_counts_as_bytes_only() -> None:
    """A fetch may end within a batch."""
    whole, incomplete = batch(b"a"), batch(b"b", b"c")[:-1]

    assert size_of(whole + incomplete) == (1, len(whole) + len(incomplete))


def test_no_batches_have_no_size() -> None:
    """An empty response."""
    assert size_of(b"") == (0, 0)


def test_the_size_of_a_file_slice_is_read_from_the_headers(tmp_path: Path) -> None:
    """The records of a file that was removed are not counted."""
    file = Disk().file(tmp_path / "0.log")
    file.write(batch(b"1", b"2") + batch(b"3") + batch(b"4")[:-1], 0)
    size = file.size()
    there = FileSlice(file, 0, size)

    assert size_of(there) == (3, size)
    file.remove()
    assert size_of(there) == (0, size)

"""Which batches were read, and which of them belong to aborted transactions."""

from __future__ import annotations

from broker.share.fetched_batches import aborted_ranges, fetched_batches, part_with
from broker.storage.indexes.transaction_index import AbortedTxn
from protocol.output import SendFile, as_bytes
from protocol.record_batch.header import CONTROL_BIT, TRANSACTIONAL_BIT
from tests.batches import batch, with_header


class Deferred:
    """Bytes that are read when they are needed; ``reads`` counts how often."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.reads = 0

    def __len__(self) -> int:
        return len(self.data)

    def read(self, start: int, size: int) -> bytes:
        """Bytes of the data."""
        self.reads += 1
        return self.data[start : start + size]

    def send(self, _send_file: SendFile, _start: int, _size: int) -> None:
        """It is in no file."""


def _batches(*counts: int, size: int = 1) -> bytes:
    data, base = b"", 0
    for count in counts:
        data += bytes(with_header(batch(*[b"x" * size] * count), base_offset=base))
        base += count
    return data


def _offsets(data: bytes | Deferred, last: int) -> list[tuple[int, int]]:
    return [(each.base_offset, each.last_offset) for each in fetched_batches(data, last)]


def test_batches_up_to_an_offset_are_found() -> None:
    """The batch that contains the offset is the last one."""
    data = _batches(5, 5, 5)
    assert _offsets(data, 7) == [(0, 4), (5, 9)]
    assert _offsets(data[:-1], 100) == [(0, 4), (5, 9)]


def test_headers_of_large_batches_in_a_file_are_read_one_by_one() -> None:
    """The records between the headers are not read."""
    data = Deferred(_batches(1, 1, 1, size=50_000))
    assert _offsets(data, 1) == [(0, 0), (1, 1)]
    assert data.reads == 3


def test_headers_of_small_batches_in_a_file_are_read_together() -> None:
    """One read has many headers."""
    data = Deferred(_batches(*[1] * 150))
    assert len(_offsets(data, 1000)) == 150
    assert data.reads == 1


def test_a_part_has_whole_batches() -> None:
    """Those that contain the first and the last offset are included."""
    data = _batches(5, 5, 5)
    found = fetched_batches(data, 100)
    assert as_bytes(part_with(data, found, 6, 7)) == _batches(5, 5)[len(_batches(5)) :]
    assert part_with(data, found, 0, 14) is data
    assert part_with(data, found, 20, 30) == b""


def test_records_of_aborted_transactions_are_found() -> None:
    """The marker, and later transactions of the same producer, are not among them."""
    parts = [
        with_header(batch(b"x"), base_offset=0, producer_id=7, attributes=TRANSACTIONAL_BIT),
        with_header(batch(b"x"), base_offset=1, producer_id=8, attributes=TRANSACTIONAL_BIT),
        with_header(
            batch(b"x"), base_offset=2, producer_id=7, attributes=TRANSACTIONAL_BIT | CONTROL_BIT
        ),
        with_header(batch(b"x"), base_offset=3, producer_id=7, attributes=TRANSACTIONAL_BIT),
    ]
    data = b"".join(map(bytes, parts))
    aborted = [AbortedTxn(7, 0, 2, 3)]
    assert aborted_ranges(data, fetched_batches(data, 100), aborted) == [(0, 0)]
    deferred = Deferred(data)
    assert aborted_ranges(deferred, fetched_batches(data, 100), aborted) == [(0, 0)]

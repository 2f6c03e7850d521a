"""Reads one header of the records in batches, within a budget, without decoding the rest.

Bytes that are not a batch end the reading: the validation of a produce reports them.
"""

from __future__ import annotations

from collections.abc import Iterator

from protocol.compression import decompress
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import batches
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.numbers import InvalidRecord, read_varint


class HeaderBudget:
    """What may still be read for one request: *items* are records and headers.

    The decompressed size of all batches is at most *decompressed_bytes*.
    """

    __slots__ = ("decompressed_bytes", "items")

    def __init__(self, items: int, decompressed_bytes: int) -> None:
        self.items = items
        self.decompressed_bytes = decompressed_bytes


def header_values(chunk: memoryview, name: bytes, budget: HeaderBudget) -> Iterator[bytes]:
    """Yield the values of the header *name* in the whole batches of *chunk*.

    A batch without the bytes of *name* costs one search. The reading stops where the budget ends.
    """
    try:
        for at, header in batches(chunk):
            block: bytes | memoryview = chunk[at + HEADER_BYTES : at + header.size]
            if header.is_control:
                continue
            if header.codec:
                block = decompress(header.codec, block, budget.decompressed_bytes)
                budget.decompressed_bytes -= len(block)
            plain = bytes(block)
            if name in plain:
                yield from _of_block(plain, header.records_count, name, budget)
    except (CorruptRecords, InvalidRecord, IndexError):
        return


def _of_block(block: bytes, count: int, name: bytes, budget: HeaderBudget) -> Iterator[bytes]:
    at = 0
    for _ in range(count):
        length, at = read_varint(block, at)
        end = at + length
        _, at = read_varint(block, at + 1)  # the timestamp, after the unused attributes
        _, at = read_varint(block, at)
        at = _after(block, _after(block, at))
        headers, at = read_varint(block, at)
        budget.items -= 1 + headers
        if budget.items < 0:
            return
        for _ in range(headers):
            key_at, at = at, _after(block, at)
            value_at, at = at, _after(block, at)
            if block.endswith(name, key_at, value_at) and read_varint(block, key_at)[0] == len(
                name
            ):
                yield block[read_varint(block, value_at)[1] : at]
        at = end


def _after(block: bytes, at: int) -> int:
    """The end of the bytes whose length is at *at*; null has no bytes."""
    length, at = read_varint(block, at)
    return at + max(0, length)

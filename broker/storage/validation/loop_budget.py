"""Limits the time that the validation of a request's batches may take on the event loop.

Nearly all produce requests are validated quickly, and a worker thread would only delay them. The
size of a batch does not show how long it takes: a few bytes may decompress to gigabytes, or have a
record with a million headers. So validation begins on the event loop with a budget, and is repeated
in a worker thread if the budget is exceeded. The limits are about 10 ms with the slowest records.
"""

from __future__ import annotations

from typing import Final

from protocol.compression import TooLong, decompress
from protocol.record_batch.scan import RecordsSummary, TooManyHeaders, summarise

# Limits for the sum over the batches of one request.
BYTES_MAX: Final = 2 * 1024 * 1024
RECORDS_MAX: Final = 4096
HEADERS_MAX: Final = 8192
COMPRESSED_BYTES_MAX: Final = 64 * 1024
DECOMPRESSED_BYTES_MAX: Final = 256 * 1024


class ExceedsBudget(Exception):  # noqa: N818 - it names what the batch does
    """The validation of a batch takes too long for the event loop."""


class Budget:
    """The remaining budget of one request; its batches share the headers equally."""

    __slots__ = ("_bytes", "_compressed_bytes", "_decompressed_bytes", "_headers", "_records")

    def __init__(self, batches: int) -> None:
        self._bytes = BYTES_MAX
        self._records = RECORDS_MAX
        self._headers = HEADERS_MAX // batches
        self._compressed_bytes = COMPRESSED_BYTES_MAX
        self._decompressed_bytes = DECOMPRESSED_BYTES_MAX

    def summarise(self, codec: int, block: memoryview, count: int) -> RecordsSummary:
        """As `protocol.record_batch.scan.summarise`, for a compressed or uncompressed *block*.

        Raises `ExceedsBudget`, `InvalidRecord`, and `CorruptRecords` if *block* cannot be
        decompressed.
        """
        self._bytes -= len(block)
        self._records -= count
        if codec:
            self._compressed_bytes -= len(block)
        if min(self._bytes, self._records, self._compressed_bytes) < 0:
            raise ExceedsBudget
        try:
            plain: bytes | memoryview = block
            if codec:
                plain = decompress(codec, block, self._decompressed_bytes)
                self._decompressed_bytes -= len(plain)
            return summarise(plain, count, self._headers)
        except (TooLong, TooManyHeaders):
            raise ExceedsBudget from None

"""What the validation of a request's batches may cost on the loop.

Nearly all produce requests are cheap to validate, and a worker thread would only delay them. How
much work a batch makes is not known from its size: a few bytes may decompress to gigabytes, or hold
a record of a million headers. So the work is begun on the loop with a budget, and begun again in a
worker thread when the budget is exceeded. The limits below are about 10 ms of the slowest records.
"""

from __future__ import annotations

from protocol.compression import TooLong, decompress
from protocol.record_batch.scan import RecordsSummary, TooManyHeaders, summarise

# Of one request: what its batches have, and what their compressed blocks decompress to.
BYTES_MAX = 2 * 1024 * 1024
RECORDS_MAX = 4096
HEADERS_MAX = 8192
COMPRESSED_BYTES_MAX = 64 * 1024
DECOMPRESSED_BYTES_MAX = 256 * 1024


class ExceedsBudget(Exception):  # noqa: N818 - it names what the batch does
    """The validation of a batch is too much work for the loop."""


class Budget:
    """What is left for the batches of one request; each has an equal share of the headers."""

    __slots__ = ("_bytes", "_compressed_bytes", "_decompressed_bytes", "_headers", "_records")

    def __init__(self, batches: int) -> None:
        self._bytes = BYTES_MAX
        self._records = RECORDS_MAX
        self._headers = HEADERS_MAX // batches
        self._compressed_bytes = COMPRESSED_BYTES_MAX
        self._decompressed_bytes = DECOMPRESSED_BYTES_MAX

    def summarise(self, codec: int, block: memoryview, count: int) -> RecordsSummary:
        """Walk the records of a batch.

        Raises `ExceedsBudget`, `InvalidRecord`, and `CorruptRecords` if *block* is no block of the
        *codec*.
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

"""Finds the traces of applications that the records of a request belong to.

A client that is traced sets the header ``traceparent`` of a record (W3C Trace Context). Only the
first records of a request are read, so that the step of the event loop stays short.
"""

from __future__ import annotations

from broker.wait_records.limits import (
    TRACED_BYTES,
    TRACED_DECOMPRESSED_BYTES,
    TRACED_ITEMS,
    TRACES_MAX,
)
from protocol.lazy_pattern import LazyPattern
from protocol.output import BUFFERS, Splice, SpliceLost
from protocol.record_batch.headers import HeaderBudget, header_values

_HEADER = b"traceparent"
# Version, trace id, parent id and flags. Later versions may append fields.
_VALUE = LazyPattern(rb"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


class TraceParents:
    """Reads the records of one request; ``found`` has each ``traceparent`` once."""

    __slots__ = ("_budget", "_bytes", "found")

    def __init__(self) -> None:
        self.found: list[str] = []
        self._bytes = TRACED_BYTES
        self._budget = HeaderBudget(TRACED_ITEMS, TRACED_DECOMPRESSED_BYTES)

    def read(self, batches: Splice) -> None:
        """Add what the first batches of a partition have."""
        size = min(len(batches), self._bytes)
        if not size or self._budget.items < 0:
            return
        self._bytes -= size
        try:
            chunk = batches[:size] if isinstance(batches, BUFFERS) else batches.read(0, size)
        except SpliceLost:
            return  # the file is gone; sending it fails as well
        for value in header_values(memoryview(chunk), _HEADER, self._budget):
            if len(self.found) == TRACES_MAX:
                return
            known = _VALUE.compiled.match(value)
            if known is not None and (text := known[0].decode()) not in self.found:
                self.found.append(text)

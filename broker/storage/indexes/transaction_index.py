"""The ``.txnindex`` of a segment: the transactions aborted in it (Kafka's ``TransactionIndex``).

Consumers with ``read_committed`` get these entries and skip the records. On disk an entry is int16
version 0, then int64 producer ID, first offset, last offset and last stable offset at the time of
the abort. The file exists only if there are entries.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from operator import attrgetter
from struct import Struct
from typing import NamedTuple

from broker.storage.files.disk import DiskFile

_ENTRY = Struct(">hqqqq")
ENTRY_BYTES = _ENTRY.size  # 34
_VERSION = 0


class AbortedTxn(NamedTuple):
    """An aborted transaction; its marker is at ``last_offset``."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


_last_offset = attrgetter("last_offset")


class TransactionIndex:
    """The entries of one segment, which are loaded on first use."""

    __slots__ = ("_entries", "file")

    def __init__(self, file: DiskFile) -> None:
        self.file = file
        self._entries: list[AbortedTxn] | None = None

    def append(self, aborted: AbortedTxn) -> None:
        """Add a transaction whose marker is the last batch of the log. Raises OSError.

        Entries of later markers, from a damaged file, are removed.
        """
        if self.entries and self.entries[-1].last_offset >= aborted.last_offset:
            self.truncate_to(aborted.last_offset)
        entries = self.entries
        self.file.write(_ENTRY.pack(_VERSION, *aborted), len(entries) * ENTRY_BYTES)
        entries.append(aborted)

    @property
    def entries(self) -> list[AbortedTxn]:
        """All aborted transactions, in the order of their markers. Raises OSError."""
        if self._entries is None:
            data = self.file.read(size, 0) if (size := self.file.size()) else b""
            whole = data[: len(data) - len(data) % ENTRY_BYTES]
            self._entries = [AbortedTxn(*row[1:]) for row in _ENTRY.iter_unpack(whole)]
        return self._entries

    def collect(self, start_offset: int, end_offset: int, found: list[AbortedTxn]) -> bool:
        """Add the transactions with records between the offsets to *found*.

        True if later segments have no others: all later transactions begin at *end_offset* or
        after. Raises OSError.
        """
        entries = self.entries
        for number in range(bisect_left(entries, start_offset, key=_last_offset), len(entries)):
            entry = entries[number]
            if entry.first_offset < end_offset:
                found.append(entry)
            if entry.last_stable_offset >= end_offset:
                return True
        return False

    def is_sane(self, base_offset: int) -> bool:
        """Whether the file can be the index of a segment with *base_offset*. Raises OSError."""
        size = self.file.size()
        if size % ENTRY_BYTES:
            return False
        rows = _ENTRY.iter_unpack(self.file.read(size, 0)) if size else iter(())
        return all(
            version == _VERSION and first <= last and last >= base_offset
            for version, _, first, last, _ in rows
        )

    def truncate_to(self, offset: int) -> None:
        """Remove the transactions whose markers are at or after *offset*. Raises OSError."""
        self.replace([entry for entry in self.entries if entry.last_offset < offset])

    def replace(self, entries: Iterable[AbortedTxn]) -> None:
        """Replace all entries, and the file. Raises OSError."""
        wanted = list(entries)
        if wanted != self.entries or self.file.size() != len(wanted) * ENTRY_BYTES:
            self.file.remove()
            self._entries = []
            for entry in wanted:
                self.append(entry)

    def unload(self) -> None:
        """Release the memory of the entries."""
        self._entries = None
        self.file.close()

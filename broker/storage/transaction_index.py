"""The ``.txnindex`` of a segment: the transactions aborted in it (Kafka's ``TransactionIndex``).

A reader of committed records is told of them, and leaves their records out. On disk: int16 version
0, then producer id, first and last offset of the transaction, and the last stable offset when it
was aborted, int64 each. There is no file as long as there is no entry.
"""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import NamedTuple

from broker.storage.disk import DiskFile

_ENTRY = Struct(">hqqqq")
ENTRY_BYTES = _ENTRY.size  # 34
_VERSION = 0


class AbortedTxn(NamedTuple):
    """A transaction that was aborted; its marker lies at ``last_offset``."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


class TransactionIndex:
    """The entries of one segment, in memory as soon as they are asked for."""

    __slots__ = ("_entries", "file")

    def __init__(self, file: DiskFile) -> None:
        self.file = file
        self._entries: list[AbortedTxn] | None = None

    def append(self, aborted: AbortedTxn) -> None:
        """Enter a transaction whose marker is the log's last batch. Raises OSError.

        What the file says of markers behind that cannot be: it has been damaged.
        """
        if self.entries and self.entries[-1].last_offset >= aborted.last_offset:
            self.truncate_to(aborted.last_offset)
        entries = self.entries
        self.file.write(_ENTRY.pack(_VERSION, *aborted), len(entries) * ENTRY_BYTES)
        entries.append(aborted)

    @property
    def entries(self) -> list[AbortedTxn]:
        """All aborted transactions, in the order of their markers; whole entries only."""
        if self._entries is None:
            data = self.file.read(size, 0) if (size := self.file.size()) else b""
            whole = data[: len(data) - len(data) % ENTRY_BYTES]
            self._entries = [AbortedTxn(*row[1:]) for row in _ENTRY.iter_unpack(whole)]
        return self._entries

    def is_sane(self, base_offset: int) -> bool:
        """Whether the file can be the index of a segment that begins at *base_offset*."""
        size = self.file.size()
        if size % ENTRY_BYTES:
            return False
        rows = _ENTRY.iter_unpack(self.file.read(size, 0)) if size else iter(())
        return all(
            version == _VERSION and first <= last and last >= base_offset
            for version, _, first, last, _ in rows
        )

    def truncate_to(self, offset: int) -> None:
        """Forget the transactions that were aborted at or behind *offset*. Raises OSError."""
        self.replace([entry for entry in self.entries if entry.last_offset < offset])

    def replace(self, entries: Iterable[AbortedTxn]) -> None:
        """Have these entries and no others, on the disk too. Raises OSError."""
        wanted = list(entries)
        if wanted != self.entries or self.file.size() != len(wanted) * ENTRY_BYTES:
            self.file.remove()
            self._entries = []
            for entry in wanted:
                self.append(entry)

    def unload(self) -> None:
        """Leave the entries to the file."""
        self._entries = None
        self.file.close()

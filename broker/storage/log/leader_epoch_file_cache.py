"""The start offset of each leader epoch (Kafka's ``LeaderEpochFileCache``, KIP-101).

A follower requests the end offset of an epoch, to remove batches that its leader does not have.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from pathlib import Path
from typing import Final

from broker.storage.files.checkpoints import read_epoch_checkpoint, write_epoch_checkpoint
from broker.storage.files.disk import Disk

FILE_NAME: Final = "leader-epoch-checkpoint"

UNDEFINED_EPOCH: Final = -1
UNDEFINED_OFFSET: Final = -1


class LeaderEpochFileCache:
    """The epochs of one log. Invariant: epochs and start offsets both increase strictly.

    Changes are written to the file, except those at the opening of a log after a clean shutdown:
    they would be the same at the next opening, and are written when the next epoch is assigned.
    Most logs continue in the epoch in which they were closed, so nothing is written for them. An
    epoch that begins at the log end is not ``is_saved``: it must be written before its first record
    is, because a later opening removes an epoch without records. A file that does not *exist* is
    not opened.
    """

    __slots__ = ("_disk", "_epochs", "_path", "_saved", "_starts", "is_saved", "latest")

    def __init__(self, directory: Path, disk: Disk, *, exists: bool = True) -> None:
        self._disk = disk
        self._path = directory / FILE_NAME
        entries = read_epoch_checkpoint(self._path) if exists else []
        self._epochs = [epoch for epoch, _ in entries]
        self._starts = [start for _, start in entries]
        self._saved = entries
        self.is_saved = True
        self.latest = self._epochs[-1] if entries else UNDEFINED_EPOCH

    @staticmethod
    def recreate(directory: Path, disk: Disk) -> LeaderEpochFileCache:
        """Remove the file; the cache has no epochs."""
        disk.remove(directory / FILE_NAME)
        return LeaderEpochFileCache(directory, disk)

    @property
    def entries(self) -> list[tuple[int, int]]:
        """All epochs as (epoch, start offset)."""
        return list(zip(self._epochs, self._starts, strict=True))

    def assign_all(self, entries: list[tuple[int, int]]) -> None:
        """Add each (epoch, start offset), unless the epoch has an earlier start. Raises OSError."""
        for epoch, start_offset in entries:
            self._enter(epoch, start_offset)
        self.save()

    def begin(self, epoch: int, end_offset: int) -> None:
        """Add an epoch that begins at the log end, without a write to the file."""
        self._enter(epoch, end_offset)
        self.is_saved = self.entries == self._saved

    def _enter(self, epoch: int, start_offset: int) -> None:
        if epoch < 0 or start_offset < 0:
            return
        if self._epochs and self._epochs[-1] == epoch and self._starts[-1] <= start_offset:
            return
        # Entries that contradict the leader are removed.
        keep = min(bisect_left(self._epochs, epoch), bisect_left(self._starts, start_offset))
        del self._epochs[keep:], self._starts[keep:]
        self._epochs.append(epoch)
        self._starts.append(start_offset)
        self.latest = epoch

    def end_offset_for(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """The largest epoch up to *epoch*, and its end offset; (-1, -1) if it is not known."""
        if epoch == UNDEFINED_EPOCH or not self._epochs or epoch > self._epochs[-1]:
            return UNDEFINED_EPOCH, UNDEFINED_OFFSET
        if epoch == self._epochs[-1]:
            return epoch, log_end_offset
        following = bisect_right(self._epochs, epoch)
        if not following:
            return epoch, self._starts[0]
        return self._epochs[following - 1], self._starts[following]

    def epoch_for_offset(self, offset: int) -> int:
        """The epoch in which *offset* was written; -1 if it is older than all epochs."""
        found = bisect_right(self._starts, offset)
        return self._epochs[found - 1] if found else UNDEFINED_EPOCH

    def opened(self, start_offset: int, end_offset: int, *, clean: bool) -> None:
        """Remove epochs outside the offsets of the opened log; if *clean*, the file stays.

        Raises OSError.
        """
        self._cut_end(end_offset)
        self._cut_start(start_offset)
        if not clean:
            self.save()

    def truncate_from_end(self, end_offset: int) -> None:
        """Remove epochs that begin at or after *end_offset*. Raises OSError."""
        self._cut_end(end_offset)
        self.save()

    def truncate_from_start(self, start_offset: int) -> None:
        """Remove epochs that end at or before *start_offset*, which the first one now begins with.

        Raises OSError.
        """
        self._cut_start(start_offset)
        self.save()

    def clear(self) -> None:
        """Remove all epochs. Raises OSError."""
        self._cut_end(-1)
        self.save()

    def _cut_end(self, end_offset: int) -> None:
        keep = bisect_left(self._starts, end_offset)
        del self._epochs[keep:], self._starts[keep:]
        self.latest = self._epochs[-1] if self._epochs else UNDEFINED_EPOCH

    def _cut_start(self, start_offset: int) -> None:
        drop = bisect_right(self._starts, start_offset)
        if drop:
            self._epochs[:drop] = [self._epochs[drop - 1]]
            self._starts[:drop] = [start_offset]

    def save(self) -> None:
        """Write the epochs to the file, if it has others. Raises OSError."""
        entries = self.entries
        if entries != self._saved:
            write_epoch_checkpoint(self._disk, self._path, entries)
            self._saved = entries
        self.is_saved = True

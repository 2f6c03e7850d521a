"""At which offset each leader epoch began (Kafka's ``LeaderEpochFileCache``, KIP-101).

A follower that comes back asks where an epoch ended, to cut off what its leader never had.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from pathlib import Path

from broker.storage.checkpoints import read_epoch_checkpoint, write_epoch_checkpoint
from broker.storage.disk import Disk

FILE_NAME = "leader-epoch-checkpoint"

UNDEFINED_EPOCH = -1
UNDEFINED_OFFSET = -1


class LeaderEpochs:
    """The epochs of one log. Invariant: epochs and start offsets both grow strictly."""

    __slots__ = ("_disk", "_epochs", "_path", "_starts", "latest")

    def __init__(self, directory: Path, disk: Disk) -> None:
        self._disk = disk
        self._path = directory / FILE_NAME
        entries = read_epoch_checkpoint(self._path)
        self._epochs = [epoch for epoch, _ in entries]
        self._starts = [start for _, start in entries]
        self.latest = self._epochs[-1] if entries else UNDEFINED_EPOCH

    @property
    def entries(self) -> list[tuple[int, int]]:
        """All (epoch, start offset)."""
        return list(zip(self._epochs, self._starts, strict=True))

    def assign_all(self, entries: list[tuple[int, int]]) -> None:
        """Each (epoch, start offset) begins there, unless it is known to have begun before."""
        changes = [self._enter(epoch, start_offset) for epoch, start_offset in entries]
        if any(changes):
            self._changed()

    def _enter(self, epoch: int, start_offset: int) -> bool:
        if epoch < 0 or start_offset < 0:
            return False
        if self._epochs and self._epochs[-1] == epoch and self._starts[-1] <= start_offset:
            return False
        # A leader's word is the last: what contradicts it was never true.
        keep = min(bisect_left(self._epochs, epoch), bisect_left(self._starts, start_offset))
        del self._epochs[keep:], self._starts[keep:]
        self._epochs.append(epoch)
        self._starts.append(start_offset)
        return True

    def end_offset_for(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """The largest epoch not above *epoch*, and where it ends; (-1, -1) if that is unknown."""
        if epoch == UNDEFINED_EPOCH or not self._epochs or epoch > self._epochs[-1]:
            return UNDEFINED_EPOCH, UNDEFINED_OFFSET
        if epoch == self._epochs[-1]:
            return epoch, log_end_offset
        following = bisect_right(self._epochs, epoch)
        if not following:
            return epoch, self._starts[0]
        return self._epochs[following - 1], self._starts[following]

    def epoch_at(self, offset: int) -> int:
        """The epoch that *offset* was written in; -1 if it is older than all."""
        found = bisect_right(self._starts, offset)
        return self._epochs[found - 1] if found else UNDEFINED_EPOCH

    def truncate_from_end(self, end_offset: int) -> None:
        """Forget epochs that begin at or after *end_offset*."""
        keep = bisect_left(self._starts, end_offset)
        if keep < len(self._starts):
            del self._epochs[keep:], self._starts[keep:]
            self._changed()

    def truncate_from_start(self, start_offset: int) -> None:
        """Forget what lies before *start_offset*; the epoch it lies in begins there now."""
        drop = bisect_right(self._starts, start_offset)
        if drop and (drop > 1 or self._starts[0] < start_offset):
            epoch = self._epochs[drop - 1]
            self._epochs[:drop] = [epoch]
            self._starts[:drop] = [start_offset]
            self._changed()

    def clear(self) -> None:
        """Forget everything."""
        if self._epochs:
            self._epochs.clear()
            self._starts.clear()
            self._changed()

    def _changed(self) -> None:
        self.latest = self._epochs[-1] if self._epochs else UNDEFINED_EPOCH
        write_epoch_checkpoint(self._disk, self._path, self.entries)

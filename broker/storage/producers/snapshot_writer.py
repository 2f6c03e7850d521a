"""Writes the snapshots of the producers of logs; those of many producers in slices.

The state is that of the moment at which the snapshot was taken. A log has at most one snapshot in
progress. If the process ends meanwhile, the next start reads more batches instead.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from broker.steps.queue import Slices, finish
from broker.storage.files.disk import Disk
from broker.storage.producers.packed_producers import PackedProducers
from broker.storage.producers.producer_snapshot import snapshot_path
from broker.storage.producers.producer_state import ProducerStateManager

# More producers than this are packed in slices; each takes about 1 µs.
PRODUCERS_AT_ONCE: Final = 1000


class SnapshotWriter:
    """The snapshots of all logs of a node.

    ``start`` runs slices; its owner may replace it.
    """

    def __init__(self) -> None:
        self.start: Callable[[Slices[None]], Any] = finish

    def take(
        self,
        disk: Disk,
        directory: Path,
        producers: ProducerStateManager,
        first_base_offset: int,
        *,
        at_once: bool = False,
    ) -> None:
        """Write the snapshot up to ``map_end_offset``, unless it exists or there are no batches.

        With *at_once* it exists when the call returns. Raises OSError; an error in a later slice
        takes the disk offline.
        """
        if producers.packed is not None:
            finish(_write(disk, producers, producers.packed))
        offset = producers.map_end_offset
        path = snapshot_path(directory, offset)
        if offset <= first_base_offset or path.exists():
            return
        packed = producers.packed = PackedProducers(path, producers.producers)
        writing = _write(disk, producers, packed)
        if at_once or len(producers.producers) <= PRODUCERS_AT_ONCE:
            finish(writing)
        else:
            self.start(_contained(disk, path, writing))


def _write(disk: Disk, producers: ProducerStateManager, packed: PackedProducers) -> Slices[None]:
    yield from packed.pack()
    if producers.packed is packed:  # it is neither written nor dropped
        producers.packed = None
        disk.replace(packed.path, packed.content())


def _contained(disk: Disk, path: Path, writing: Slices[None]) -> Slices[None]:
    try:
        yield from writing
    except OSError as error:
        disk.fail(path, error)

"""The producers of a log at one moment, packed for a ``.snapshot`` file while they change.

    begin --pack, other tasks in between--> content
              `- a producer that changes is packed before that

Format: int16 version 1, uint32 CRC-32C of what follows, int32 number of entries, the entries
(Kafka's ``ProducerStateManager.writeSnapshot``).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from broker.storage.producers.producer_state_entry import BatchMetadata, ProducerStateEntry
from protocol.record_batch.crc import crc32c
from protocol.record_batch.header import NO_SEQUENCE

VERSION: Final = 1
HEAD: Final = struct.Struct(">hI")
COUNT: Final = struct.Struct(">i")
# Producer id, epoch, last sequence, last offset, offset delta, timestamp, coordinator epoch,
# first offset of the open transaction.
ENTRY: Final = struct.Struct(">qhiqiqiq")


class PackedProducers:
    """The content of the snapshot *path*: the last batch of each of *producers*."""

    __slots__ = ("_content", "_count", "_left", "path")

    def __init__(self, path: Path, producers: Mapping[int, ProducerStateEntry]) -> None:
        self.path = path
        self._count = len(producers)
        self._left = dict(producers)
        self._content = bytearray(HEAD.size + COUNT.size)

    def keep(self, producer_id: int) -> None:
        """Pack a producer, which is about to change, unless it is packed or new."""
        entry = self._left.pop(producer_id, None)
        if entry is not None:
            self._content += _pack(entry)

    def pack(self) -> Slices[None]:
        """Pack all producers; other tasks may run in between."""
        for piece in pieces(list(self._left)):
            for producer_id in piece:
                self.keep(producer_id)
            yield None

    def content(self) -> bytearray:
        """The bytes of the file, when all producers are packed."""
        content = self._content
        COUNT.pack_into(content, HEAD.size, self._count)
        HEAD.pack_into(content, 0, VERSION, crc32c(memoryview(content)[HEAD.size :]))
        return content


def _pack(entry: ProducerStateEntry) -> bytes:
    last = entry.batches[-1] if entry.batches else BatchMetadata(NO_SEQUENCE, -1, 0, -1)
    return ENTRY.pack(
        entry.producer_id,
        entry.epoch,
        last.last_sequence,
        last.last_offset,
        last.offset_delta,
        entry.last_timestamp,
        entry.coordinator_epoch,
        entry.current_txn_first_offset,
    )

"""What a record tells of partitions: how many records and bytes, at which offset, how it ended."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from broker.topic_partition import TopicPartition
from broker.waits.record import Noted, Size
from protocol.records import HEADER_BYTES, LOG_OVERHEAD

if TYPE_CHECKING:
    from broker.node import Node

_LENGTH_AND_COUNT = Struct(">8xi45xi")

NOTHING: Size = (0, 0)


def size_of(batches: bytes | bytearray | memoryview) -> Size:
    """How many records and bytes the whole batches at the beginning hold."""
    position, count, end = 0, 0, len(batches)
    while end - position >= HEADER_BYTES:
        length, records = _LENGTH_AND_COUNT.unpack_from(batches, position)
        following = position + LOG_OVERHEAD + length
        if not position < following <= end:
            break
        count += records
        position = following
    return count, end


def noted(node: Node, key: TopicPartition, offset: int, size: Size, error: int) -> Noted:
    """A partition with what became of it, and where its log is now."""
    partition = node.replicas.partitions.get(key)
    if partition is None:
        return key, offset, size, error, -1, -1
    log = partition.log
    return key, offset, size, error, log.high_watermark, log.log_end_offset

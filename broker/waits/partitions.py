"""What a record tells of partitions: how many records and bytes, at which offset, how it ended."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import TYPE_CHECKING

from broker.topic_partition import TopicPartition
from broker.waits.record import PartitionFacts
from protocol.records import HEADER_BYTES, LOG_OVERHEAD

if TYPE_CHECKING:
    from broker.node import Node

_LENGTH = Struct(">8xi")
_COUNT = Struct(">57xi")

Size = tuple[int, int]  # records, bytes


def size_of(batches: bytes | bytearray | memoryview) -> Size:
    """How many records and bytes the whole batches at the beginning hold."""
    position, count, end = 0, 0, len(batches)
    while end - position >= HEADER_BYTES:
        following = position + LOG_OVERHEAD + _LENGTH.unpack_from(batches, position)[0]
        if not position < following <= end:
            break
        count += _COUNT.unpack_from(batches, position)[0]
        position = following
    return count, end


def told(
    node: Node, ended: Iterable[tuple[TopicPartition, int, Size, int]]
) -> list[PartitionFacts]:
    """Partitions with the offset, the size and the error of each, and where their logs are now."""
    partitions = node.replicas.partitions
    found = []
    for key, offset, (records, size), error in ended:
        topic, index = key
        partition = partitions.get(key)
        if partition is None:
            found.append(PartitionFacts(topic, index, offset, records, size, error, -1, -1))
            continue
        log = partition.log
        found.append(
            PartitionFacts(
                topic,
                index,
                offset,
                records,
                size,
                error,
                log.high_watermark,
                log.log_end_offset,
            )
        )
    return found

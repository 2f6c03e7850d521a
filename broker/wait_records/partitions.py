"""What a record tells of partitions: how many records and bytes, at which offset, how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.common.topic_partition import TopicPartition
from broker.wait_records.record import Noted, Size
from protocol.output import BUFFERS, Splice, SpliceLost
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.peek import size_and_count

if TYPE_CHECKING:
    from broker.api.services import Services

NOTHING: Size = (0, 0)


def size_of(batches: Splice) -> Size:
    """How many records the whole batches at the beginning hold, and how many bytes there are.

    Of batches that are not read yet only the headers are read.
    """
    position, count, end = 0, 0, len(batches)
    while end - position >= HEADER_BYTES:
        if isinstance(batches, BUFFERS):
            size, records = size_and_count(batches, position)
        else:
            try:
                header = batches.read(position, HEADER_BYTES)
            except SpliceLost:
                break  # it will not be sent, either
            size, records = size_and_count(header)
        following = position + size
        if not position < following <= end:
            break
        count += records
        position = following
    return count, end


def noted(node: Services, key: TopicPartition, offset: int, size: Size, error: int) -> Noted:
    """A partition with what became of it, and where its log is now."""
    partition = node.replicas.partitions.get(key)
    if partition is None:
        return key, offset, size, error, -1, -1
    log = partition.log
    return key, offset, size, error, log.high_watermark, log.log_end_offset

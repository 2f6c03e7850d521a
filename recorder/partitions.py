"""The part of a record about the partitions of a Produce or a Fetch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import batches

Partition = dict[str, Any]
Offsets = dict[tuple[str, int], int]
NameOf = Callable[[str, UUID], str]

_UNKNOWN = {"error": 0, "high_watermark": None, "log_end_offset": None}


def produced(request: Any, response: Any | None, name_of: NameOf) -> list[Partition]:
    """The partitions of a Produce; without a response (``acks=0``) the offsets are unknown."""
    responses = {}
    for topic in response.responses if response else ():
        for part in topic.partition_responses:
            responses[name_of(topic.name, topic.topic_id), part.index] = part
    found = []
    for topic in request.topic_data:
        name = name_of(topic.name, topic.topic_id)
        for part in topic.partition_data:
            count, size = _counted(part.records)
            partition = {"topic": name, "partition": part.index, "offset": None, **_UNKNOWN}
            partition |= {"records": count, "bytes": size}
            if result := responses.get((name, part.index)):
                partition |= {"offset": result.base_offset, "error": result.error_code}
            found.append(partition)
    return found


def remember_offsets(request: Any, offsets: Offsets, name_of: NameOf) -> None:
    """Store the offsets of a Fetch; in a fetch session later requests contain only changes."""
    for topic in request.topics:
        name = name_of(topic.topic, topic.topic_id)
        for part in topic.partitions:
            offsets[name, part.partition] = part.fetch_offset


def fetched(response: Any, offsets: Offsets, name_of: NameOf) -> list[Partition]:
    """The partitions of a Fetch response."""
    found = []
    for topic in response.responses:
        name = name_of(topic.topic, topic.topic_id)
        for part in topic.partitions:
            offset = offsets.get((name, part.partition_index))
            count, size = _counted(part.records, offset or 0)
            partition = {"topic": name, "partition": part.partition_index, "offset": offset}
            partition |= {"records": count, "bytes": size, "error": part.error_code}
            partition |= {"high_watermark": part.high_watermark, "log_end_offset": None}
            found.append(partition)
    return found


def _counted(records: Any | None, from_offset: int = 0) -> tuple[int | None, int]:
    """Count records from *from_offset* on, and bytes; the first batch may begin before it."""
    if records is None:
        return 0, 0
    try:
        headers = [header for _, header in batches(records)]
    except CorruptRecords:
        return None, len(records)
    count = sum(
        header.records_count - max(0, min(from_offset - header.base_offset, header.records_count))
        for header in headers
        if not header.is_control
    )
    return count, len(records)

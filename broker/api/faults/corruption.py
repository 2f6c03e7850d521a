"""Gives the first batch of a Fetch response a wrong CRC, without a change of the log."""

from __future__ import annotations

from typing import Any

from broker.api.request import Request
from broker.faults.request_fault import RequestFault
from broker.faults.rule import FaultRule
from protocol.messages.fetch import FetchResponse, PartitionData
from protocol.output import BUFFERS, SendFile, Splice

# A batch of magic 2 has its CRC at bytes 17 to 20.
_CRC_AT = 17


def corrupted(request: Request[Any], fault: RequestFault, response: object | None) -> object | None:
    """The response; its first batch of a partition that a rule matches is corrupt."""
    if not isinstance(response, FetchResponse):
        return response
    services, names = request.services, request.services.image.names
    for rule in fault.later:
        partition = _first_match(rule, response, names)
        if partition is None:
            continue
        if not services.faults.fire_later(rule, request.header, services.node_id):
            continue
        assert partition.records is not None
        partition.records = _with_wrong_crc(partition.records)
        request.encoded = None  # it has the batch as it is in the log
        if request.observer is not None:
            request.observer.record.fault = rule.label
        break
    return response


def _first_match(rule: FaultRule, response: FetchResponse, names: Any) -> PartitionData | None:
    """The first partition with a batch that the rule names."""
    match = rule.spec.match
    assert match is not None
    for topic in response.responses:
        name = topic.topic or names.get(topic.topic_id)
        if match.topic not in (None, name):
            continue
        for partition in topic.partitions:
            is_named = match.partition in (None, partition.partition_index)
            if is_named and partition.records and len(partition.records) > _CRC_AT:
                return partition
    return None


def _with_wrong_crc(records: Splice) -> Any:
    if not isinstance(records, BUFFERS):
        return CorruptedRecords(records)
    changed = bytearray(records)
    changed[_CRC_AT] ^= 0xFF
    return changed


class CorruptedRecords:
    """Records that are read when they are sent (`protocol.output.Deferred`)."""

    __slots__ = ("_records",)

    def __init__(self, records: Any) -> None:
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    def read(self, start: int, size: int) -> bytes:
        """Read *size* bytes from *start* on; raises `SpliceLost`."""
        read: bytes = self._records.read(start, size)
        if not start <= _CRC_AT < start + size:
            return read
        changed = bytearray(read)
        changed[_CRC_AT - start] ^= 0xFF
        return bytes(changed)

    def send(self, _send_file: SendFile, _start: int, _size: int) -> None:
        """None: they are changed after they are read."""

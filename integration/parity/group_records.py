"""The records that a coordinator has written about one group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.coordinators.coordinator_record import RawRecord
from broker.groups.records.serde import GROUP_RECORDS
from integration.parity.requests import LATEST, fetch, list_offsets
from integration.parity.scenario import Kafka
from protocol.record_batch.batch import batches, records

OFFSETS = "__consumer_offsets"
_MASKED: dict[str, Callable[[Any], object]] = {  # values that depend on names and times
    "metadata_hash": lambda value: 1 if value else 0,
    "assignment_timestamp": lambda value: 1 if value else 0,
    "commit_timestamp": lambda _: 0,
    "current_state_timestamp": lambda _: 0,
    "topic_id": lambda _: None,
}


class GroupRecords:
    """The records of a group from now on, in order; the offsets topic has one partition."""

    def __init__(self, kafka: Kafka, group: str, *, node: int = 1) -> None:
        self._kafka = kafka
        self._group = group
        self.node = node
        response = kafka.request(list_offsets(OFFSETS, LATEST), node=node)
        self._next: int = response.topics[0].partitions[0].offset

    def new(self) -> list[str]:
        """The records since the last call: the number of the type, the key and the value."""
        found = []
        while data := self._fetched():
            for position, header in batches(data):
                for record in records(data, position):
                    if record.offset >= self._next and not header.is_control:
                        found += self._shown(RawRecord(record.key or b"", record.value))
                self._next = header.base_offset + header.last_offset_delta + 1
        return found

    def _fetched(self) -> Any:
        response = self._kafka.request(fetch(OFFSETS, self._next, max_wait_ms=0), node=self.node)
        return response.responses[0].partitions[0].records

    def _shown(self, raw: RawRecord) -> list[str]:
        record = GROUP_RECORDS.deserialize(raw)
        if record is None:
            return []
        key = {name: getattr(record.key, name) for name in record.key.__dataclass_fields__}
        if self._group not in key.values():
            return []
        rest = " ".join(f"{each}" for each in key.values() if each != self._group)
        value = "tombstone" if record.value is None else self._text(record.value)
        return [f"{record.key.__spec__.key} {rest} {value}".replace("  ", " ")]

    def _text(self, value: Any) -> str:
        for name, mask in _MASKED.items():
            if hasattr(value, name):
                setattr(value, name, mask(getattr(value, name)))
        return self._kafka.formatter.text(value)

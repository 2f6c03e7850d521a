"""The records of a draft of a group, which may be serialized before they are appended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.groups.records.serde import GROUP_RECORDS
from protocol.codec import Unencodable


class DraftRecords:
    """Records that are appended in one batch; *before* are the first ones."""

    def __init__(self, before: Iterable[CoordinatorRecord] = ()) -> None:
        self.records = list(before)
        self._serialized: list[RawRecord] | None = None

    def serialize(self) -> None:
        """Serialize the records; no more records may be added."""
        with suppress(Unencodable):  # `CoordinatorRuntime.append` raises the error again
            self._serialized = [GROUP_RECORDS.serialize(record) for record in self.records]

    @property
    def to_append(self) -> Sequence[CoordinatorRecord | RawRecord]:
        """The records to append."""
        return self.records if self._serialized is None else self._serialized

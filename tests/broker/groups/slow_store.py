"""A store that answers when a test says so, and with the error it says."""

from __future__ import annotations

from collections.abc import Mapping

from broker.groups.classic_group import ClassicGroup
from broker.groups.offset_store import InMemoryOffsetStore, OffsetAndMetadata, OnStored
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode


class SlowStore(InMemoryOffsetStore):
    """Answers at once until ``slow`` is set; then keeps callers waiting until `finish`."""

    def __init__(self) -> None:
        super().__init__()
        self.slow = False
        self._waiting: list[OnStored] = []

    def append_offsets(
        self,
        group_id: str,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        on_stored: OnStored,
    ) -> None:
        super().append_offsets(group_id, offsets, self._later(on_stored))

    def append_group(
        self, group: ClassicGroup, assignments: Mapping[str, bytes], on_stored: OnStored
    ) -> None:
        super().append_group(group, assignments, self._later(on_stored))

    def finish(self, error: ErrorCode = ErrorCode.NONE) -> None:
        """Let all who wait know how it ended."""
        self.slow = False
        waiting, self._waiting = self._waiting, []
        for on_stored in waiting:
            on_stored(error)

    def _later(self, on_stored: OnStored) -> OnStored:
        if not self.slow:
            return on_stored
        return lambda error: self._waiting.append(on_stored)

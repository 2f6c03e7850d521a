"""A log in memory; a test decides when it replicates and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from broker.common.errors import ApiError
from broker.coordinators.coordinator_log import LogSlice
from broker.coordinators.coordinator_record import RawRecord
from protocol.errors import ErrorCode


class KeptLog:
    """Replicates each append until ``slow`` is set, and after that only in `replicate`.

    ``read_max`` is the number of records that a call of `read` returns. *add_action* queues the
    notification after an append; without it, nothing is notified of appends.
    """

    start_offset = 0

    def __init__(
        self,
        on_high_watermark: Callable[[], None] = lambda: None,
        add_action: Callable[[Callable[[], None]], object] = lambda _: None,
    ) -> None:
        self.records: list[RawRecord] = []
        self.batches = 0
        self.slow = False
        self.read_max = 1_000_000
        self.refusal: ErrorCode | None = None
        self.high_watermark = 0
        self._on_high_watermark = on_high_watermark
        self._add_action = add_action

    @property
    def end_offset(self) -> int:
        return len(self.records)

    def read(self, offset: int) -> LogSlice:
        found = [
            RawRecord(each.key, each.value, offset + index)
            for index, each in enumerate(self.records[offset : offset + self.read_max])
        ]
        return LogSlice(found, offset + len(found))

    def append(self, records: Sequence[RawRecord]) -> None:
        if self.refusal is not None:
            raise ApiError(self.refusal)
        self.records += records
        self.batches += 1
        if not self.slow:
            self.high_watermark = len(self.records)
            self._add_action(self._on_high_watermark)

    def replicate(self) -> None:
        """Move the high watermark to the end of the log, as the fetch of a follower does."""
        self.slow = False
        self.high_watermark = len(self.records)
        self._on_high_watermark()

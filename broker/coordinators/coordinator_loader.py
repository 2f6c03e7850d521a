"""Replays a partition of an internal topic in slices (Kafka's ``CoordinatorLoader``).

The node handles other requests between two slices; requests for the coordinator are refused with
COORDINATOR_LOAD_IN_PROGRESS until the last one. A short log is loaded in the first slice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Protocol

from broker.coordinators.coordinator_log import CoordinatorLog, TransactionEnd
from broker.coordinators.coordinator_record import RawRecord
from broker.steps.pieces import pieces
from broker.steps.queue import Slices


class CoordinatorPlayback(Protocol):
    """The state that the records of a partition add up to."""

    def load(self, raw: RawRecord, now_wall_ms: int) -> None:
        """Apply a record of the log; raises `Malformed` and `InconsistentRecord`.

        A record with a producer id belongs to a transaction, which is open until
        `end_transaction`.
        """
        ...

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """Commit or abort the records of *producer_id* that have been loaded."""
        ...

    def begin_unreplicated(self) -> None:
        """The records and markers that follow are not replicated yet; called at most once."""
        ...


class CoordinatorLoader:
    """Replays the log up to its present end into *state*.

    ``next_offset`` is the record or batch that is read next. If the load fails, whatever the
    reason, it is that of the failure: the content of a log must not end the node. As in Kafka
    (``CoordinatorLoaderImpl``) the partition then has no coordinator until it is loaded again.
    """

    __slots__ = ("_end_offset", "_log", "_replicated_end", "_state", "_wall_ms", "next_offset")

    def __init__(
        self,
        coordinator_log: CoordinatorLog,
        state: CoordinatorPlayback,
        wall_ms: Callable[[], int],
    ) -> None:
        self._log = coordinator_log
        self._state = state
        self._wall_ms = wall_ms
        self.next_offset = coordinator_log.start_offset
        self._end_offset = coordinator_log.end_offset
        # The high watermark, until the loader has reached it.
        self._replicated_end = min(coordinator_log.high_watermark, self._end_offset)

    def load(self) -> Slices[None]:
        """Replay all records; raises what the log and the state raise."""
        while self.next_offset < self._end_offset:
            records, next_offset = self._log.read(self.next_offset)
            for piece in pieces(records):
                self._replay(piece)
                yield None
            self.next_offset = next_offset
        self._reach(self._end_offset - 1)

    def _replay(self, records: Iterable[RawRecord | TransactionEnd]) -> None:
        now_ms = self._wall_ms()
        for record in records:
            self.next_offset = record.offset
            self._reach(record.offset)
            if isinstance(record, RawRecord):
                self._state.load(record, now_ms)
            else:
                self._state.end_transaction(record.producer_id, is_commit=record.is_commit)

    def _reach(self, offset: int) -> None:
        """Call ``begin_unreplicated``, once, if the record at *offset* is not replicated yet."""
        if offset >= self._replicated_end:
            self._replicated_end = sys.maxsize
            self._state.begin_unreplicated()

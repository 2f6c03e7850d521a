"""Replays a partition of an internal topic in steps (Kafka's ``CoordinatorLoader``).

The node handles other requests between two steps; requests for the coordinator are refused with
COORDINATOR_LOAD_IN_PROGRESS until the last step. A log that one read returns completely is loaded
in the first step.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

from broker.coordinators.coordinator_log import CoordinatorLog
from broker.coordinators.coordinator_record import RawRecord
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

_PAUSE_MS = 1


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


class CoordinatorLoader(TimerTask):
    """Replays the log up to its present end into *state*, then calls ``on_loaded`` with it.

    If that fails, whatever the reason, ``on_failed`` is called with the offset of the record or
    batch and the exception: the content of a log must not end the node. As in Kafka
    (``CoordinatorLoaderImpl``) the partition then has no coordinator until it is loaded again.
    """

    def __init__(
        self,
        timer: SystemTimer,
        coordinator_log: CoordinatorLog,
        state: CoordinatorPlayback,
        wall_ms: Callable[[], int],
        on_loaded: Callable[[Any], None],
        on_failed: Callable[[int, Exception], None],
    ) -> None:
        super().__init__(_PAUSE_MS)
        self._timer = timer
        self._log = coordinator_log
        self._state = state
        self._wall_ms = wall_ms
        self._on_loaded = on_loaded
        self._on_failed = on_failed
        self._next_offset = coordinator_log.start_offset
        self._end_offset = coordinator_log.end_offset
        # The high watermark, until the loader has reached it.
        self._replicated_end = min(coordinator_log.high_watermark, self._end_offset)

    def run(self) -> None:
        """Replay the records of one read, and schedule the next step unless it was the last."""
        try:
            self._load_some()
            if self._next_offset >= self._end_offset:
                self._reach(self._end_offset - 1)
                self._on_loaded(self._state)
                return
        except Exception as error:
            self._on_failed(self._next_offset, error)
            return
        self._timer.add(self)

    def _load_some(self) -> None:
        if self._next_offset >= self._end_offset:
            return
        records, next_offset = self._log.read(self._next_offset)
        now_ms = self._wall_ms()
        for record in records:
            self._next_offset = record.offset
            self._reach(record.offset)
            if isinstance(record, RawRecord):
                self._state.load(record, now_ms)
            else:
                self._state.end_transaction(record.producer_id, is_commit=record.is_commit)
        self._next_offset = next_offset

    def _reach(self, offset: int) -> None:
        """Call ``begin_unreplicated``, once, if the record at *offset* is not replicated yet."""
        if offset >= self._replicated_end:
            self._replicated_end = sys.maxsize
            self._state.begin_unreplicated()

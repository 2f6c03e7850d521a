"""Loading a partition's groups from its log, some records at a time (``CoordinatorLoader``).

The node goes on serving others meanwhile; whoever asks for these groups is told that they are being
loaded. What fits into one read is loaded before anybody can ask.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from broker.errors import ApiError
from broker.groups.coordinator_log import CoordinatorLog
from broker.groups.group_states import GroupStates
from protocol.codec import Malformed
from protocol.records import CorruptRecords
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

log = logging.getLogger("antechamber.groups")

_PAUSE_MS = 1


class Loader(TimerTask):
    """Reads up to where the log ended when it was made, then hands over what it found.

    A log that cannot be read is left alone, as in Kafka: its groups have no coordinator until
    another node leads the partition.
    """

    def __init__(
        self,
        timer: SystemTimer,
        coordinator_log: CoordinatorLog,
        wall_ms: Callable[[], int],
        on_loaded: Callable[[GroupStates], None],
        on_failed: Callable[[], None],
    ) -> None:
        super().__init__(_PAUSE_MS)
        self._timer = timer
        self._log = coordinator_log
        self._wall_ms = wall_ms
        self._on_loaded = on_loaded
        self._on_failed = on_failed
        self._states = GroupStates()
        self._next_offset = coordinator_log.start_offset
        self._end_offset = coordinator_log.end_offset

    def run(self) -> None:
        """Load some, and come back unless that was all."""
        try:
            self._load_some()
        except (ApiError, CorruptRecords, Malformed):
            log.exception("groups cannot be loaded at offset %d", self._next_offset)
            self._on_failed()
            return
        if self._next_offset < self._end_offset:
            self._timer.add(self)
        else:
            self._on_loaded(self._states)

    def _load_some(self) -> None:
        if self._next_offset >= self._end_offset:
            return
        records, self._next_offset = self._log.read(self._next_offset)
        self._states.load(records, self._wall_ms())

"""Loading a partition's groups from its log, some records at a time (``CoordinatorLoader``).

The node goes on serving others meanwhile; whoever asks for these groups is told that they are being
loaded. What fits into one read is loaded before anybody can ask.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.groups.coordinator_log import CoordinatorLog
from broker.groups.group_states import GroupStates
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

_PAUSE_MS = 1


class Loader(TimerTask):
    """Reads up to where the log ended when it was made, then hands over what it found.

    A log that cannot be loaded fails alone, as in Kafka (``CoordinatorLoaderImpl``): its groups
    have no coordinator until the partition is loaded again. ``on_failed`` is called with the offset
    of the record or batch that is wrong and the reason, whatever it is: what is in a log must not
    end the node.
    """

    def __init__(
        self,
        timer: SystemTimer,
        coordinator_log: CoordinatorLog,
        wall_ms: Callable[[], int],
        on_loaded: Callable[[GroupStates], None],
        on_failed: Callable[[int, Exception], None],
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
        """Load some records, and schedule the next step unless those were the last."""
        try:
            self._load_some()
            if self._next_offset >= self._end_offset:
                self._on_loaded(self._states)
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
            self._states.load(record, now_ms)
        self._next_offset = next_offset

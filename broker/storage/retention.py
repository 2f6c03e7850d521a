"""Deletes old segments, a few at a time: others are served in between (``log.retention.*``).

A segment takes 0.2 ms, since each of its files is renamed, and a retention time that is lowered
may concern thousands.
"""

from __future__ import annotations

from broker.storage.local_log import Later
from broker.storage.log import Log
from broker.storage.log_manager import LogManager

SEGMENTS_PER_STEP = 20
PAUSE_MS = 1


class Retention:
    """Looks through all logs when `look` is called, and continues until nothing is left."""

    def __init__(self, logs: LogManager, later: Later) -> None:
        self._logs = logs
        self._later = later
        self._left = 0  # segments that may still be deleted in this step
        self._continues = False

    def look(self) -> None:
        """Delete what retention allows, unless that is under way."""
        if not self._continues:
            self._step()

    def _step(self) -> None:
        self._left = SEGMENTS_PER_STEP
        self._logs.each(self._delete)
        self._continues = not self._left
        if self._continues:
            self._later(PAUSE_MS, self._step)

    def _delete(self, log: Log) -> None:
        if self._left:
            self._left -= log.delete_old_segments(self._left)

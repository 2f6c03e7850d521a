"""A partition of an internal topic that a node coordinates."""

from __future__ import annotations

from broker.coordinators.coordinator_log import CoordinatorLog
from broker.coordinators.deferred_event_queue import DeferredEventQueue
from purgatories.on_error import OnError


class LedPartition:
    """A loaded partition.

    ``end_offset`` is the end of the log after the last append of the runtime, and ``leader_epoch``
    the epoch in which the node leads the partition. ``is_noted``: the coordinator has noted that
    the loaded records are replicated; no event is completed before that.
    """

    __slots__ = ("_loaded_end", "deferred", "end_offset", "is_noted", "leader_epoch", "log")

    def __init__(self, coordinator_log: CoordinatorLog, on_error: OnError) -> None:
        self.log = coordinator_log
        self.end_offset = self._loaded_end = coordinator_log.end_offset
        self.leader_epoch = coordinator_log.leader_epoch
        self.deferred = DeferredEventQueue(on_error)
        self.is_noted = False

    @property
    def is_load_replicated(self) -> bool:
        """Whether the high watermark has passed the loaded records."""
        return self.log.high_watermark >= self._loaded_end

"""Who waits on partitions, and in which order they are asked when something moves.

    the log end grew                      Fetch
    an append moved the high watermark    Produce, Fetch, DeleteRecords
    a follower or the controller did      Fetch, Produce, DeleteRecords
    no longer the leader here, or gone    Produce, Fetch

The order is Kafka's, and can be seen from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from broker.common.state_changes import StateChanges
from broker.common.topic_partition import TopicPartition
from broker.wait_records.causes import Cause, CauseKind
from broker.wait_records.recorder import Recorder
from purgatories.purgatory import DelayedOperationPurgatory

Purgatory = DelayedOperationPurgatory[Any]
MakeCause = Callable[..., Cause | None]
Explain = Callable[[Any, Callable[[], object]], None]


class Waiting:
    """The purgatories whose operations are watched on partitions.

    ``changes`` hears of everything that moves; ``recorder``, if there is one, says what happens to
    those who are woken by it.
    """

    __slots__ = (
        "_because",
        "_cause",
        "_changes",
        "delete_records",
        "fetch",
        "high_watermark_listeners",
        "on_error",
        "produce",
    )

    def __init__(
        self,
        produce: Purgatory,
        fetch: Purgatory,
        delete_records: Purgatory,
        changes: StateChanges,
        recorder: Recorder | None = None,
    ) -> None:
        self._changes = changes
        self._cause: MakeCause = _untold if recorder is None else recorder.cause
        self._because: Explain = _do if recorder is None else recorder.because
        self.produce = produce
        self.fetch = fetch
        self.delete_records = delete_records
        self.on_error = fetch.on_error
        # Called when the high watermark of a partition that is led here moves, before all others.
        self.high_watermark_listeners: dict[TopicPartition, Callable[[], None]] = {}

    def after_append(self, appended: Iterable[tuple[TopicPartition, bool, int]]) -> None:
        """Records were appended here: partition, whether its high watermark moved, the log end."""
        self._changes.notify()
        for key, high_watermark_moved, end in appended:
            cause = self._cause(CauseKind.APPEND, key, end)
            if high_watermark_moved:
                self._tell_listener(key, cause)
                self.produce.check_and_complete(key, cause)
                self.fetch.check_and_complete(key, cause)
                self.delete_records.check_and_complete(key, cause)
            else:
                self.fetch.check_and_complete(key, cause)

    def after_offsets_moved(
        self, key: TopicPartition, high_watermark: int, replica: int | None = None
    ) -> None:
        """The high or the low watermark moved, by a *replica*'s fetch or another in-sync set."""
        self._changes.notify()
        cause = self._cause(CauseKind.HIGH_WATERMARK, key, high_watermark, replica)
        self._tell_listener(key, cause)
        self.fetch.check_and_complete(key, cause)
        self.produce.check_and_complete(key, cause)
        self.delete_records.check_and_complete(key, cause)

    def after_replicated(self, key: TopicPartition, high_watermark: int) -> None:
        """A follower learned a higher watermark: consumers may read from it, too (KIP-392)."""
        self._changes.notify()
        cause = self._cause(CauseKind.HIGH_WATERMARK, key, high_watermark)
        self.fetch.check_and_complete(key, cause)

    def after_leaving(self, key: TopicPartition, kind: CauseKind) -> None:
        """The node does not lead the partition any more (LEADERSHIP), or it is gone (DELETED)."""
        cause = self._cause(kind, key)
        self.produce.check_and_complete(key, cause)
        self.fetch.check_and_complete(key, cause)

    def leaving(self, key: TopicPartition, act: Callable[[], object]) -> None:
        """Do *act*, since the node does not lead the partition any more."""
        self._because(self._cause(CauseKind.LEADERSHIP, key), act)

    def _tell_listener(self, key: TopicPartition, cause: Cause | None) -> None:
        listeners = self.high_watermark_listeners
        if listeners and (listener := listeners.get(key)) is not None:
            try:
                self._because(cause, listener)
            except Exception as error:
                self.on_error(f"the listener to the high watermark of {key}", error)


def _untold(*_event: object) -> None:
    """Nobody will tell the cause."""


def _do(_cause: None, act: Callable[[], object]) -> None:
    act()

"""The purgatories whose operations wait on partitions, and the order in which they are checked.

    the log end moved                                   Fetch
    an append moved the high watermark                  Produce, Fetch, DeleteRecords
    a fetch of a follower, or the in-sync set, moved    Fetch, Produce, DeleteRecords
        the high or the low watermark
    this node no longer leads or has the partition      Produce, Fetch, ShareFetch

ShareFetch is checked last in the first three rows. It is also checked when the records of a share
partition become available, and after a share fetch of the partition has ended. Clients can observe
the order; it is Kafka's (``ReplicaManager.addCompletePurgatoryAction``,
``DelayedOperations.checkAndCompleteAll``, ``completeDelayedOperationsWhenNotPartitionLeader``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final

from mypy_extensions import mypyc_attr

from broker.common.state_changes import StateChanges
from broker.common.topic_partition import TopicPartition
from broker.wait_records.causes import Cause, CauseKind
from broker.wait_records.recorder import Recorder
from purgatories.purgatory import DelayedOperationPurgatory

Purgatory = DelayedOperationPurgatory[Any]
MakeCause = Callable[..., Cause | None]
RunWithCause = Callable[[Any, Callable[[], object]], None]

_APPEND: Final = CauseKind.APPEND
_HIGH_WATERMARK: Final = CauseKind.HIGH_WATERMARK


@mypyc_attr(allow_interpreted_subclasses=True)
class PartitionPurgatories:
    """Checks the operations that wait on a partition after an event there.

    ``changes`` is notified of each event. ``recorder`` makes the causes of the completions; None if
    requests are not recorded. ``high_watermark_listeners`` are called when the high watermark of a
    partition moves that this node leads, before the purgatories are checked.
    """

    __slots__ = (
        "_cause",
        "_changes",
        "_run_with_cause",
        "delete_records",
        "fetch",
        "high_watermark_listeners",
        "on_error",
        "produce",
        "share_fetch",
    )

    def __init__(
        self,
        produce: Purgatory,
        fetch: Purgatory,
        delete_records: Purgatory,
        share_fetch: Purgatory,
        changes: StateChanges,
        recorder: Recorder | None = None,
    ) -> None:
        self._changes = changes
        self._cause: MakeCause = _no_cause if recorder is None else recorder.cause
        self._run_with_cause: RunWithCause = _run if recorder is None else recorder.run_with_cause
        self.produce = produce
        self.fetch = fetch
        self.delete_records = delete_records
        self.share_fetch = share_fetch
        self.on_error = fetch.on_error
        self.high_watermark_listeners: dict[TopicPartition, Callable[[], None]] = {}

    def after_append(self, key: TopicPartition, end: int, high_watermark_moved: bool) -> None:
        """Check after an append as leader up to the offset *end*."""
        self._changes.notify()
        cause = self._cause(_APPEND, key, end)
        if not high_watermark_moved:
            self.fetch.check_and_complete(key, cause)
            return
        self._call_listener(key, cause)
        self.produce.check_and_complete(key, cause)
        self.fetch.check_and_complete(key, cause)
        self.delete_records.check_and_complete(key, cause)
        self.share_fetch.check_and_complete(key, cause)

    def after_offsets_moved(
        self, key: TopicPartition, high_watermark: int, replica: int | None = None
    ) -> None:
        """Check after the high or the low watermark moved.

        *replica* is the node whose fetch moved it; None: a change of the in-sync set did.
        """
        self._changes.notify()
        cause = self._cause(_HIGH_WATERMARK, key, high_watermark, replica)
        self._call_listener(key, cause)
        self.fetch.check_and_complete(key, cause)
        self.produce.check_and_complete(key, cause)
        self.delete_records.check_and_complete(key, cause)
        self.share_fetch.check_and_complete(key, cause)

    def after_replicated(self, key: TopicPartition, high_watermark: int) -> None:
        """Check after a follower received a higher watermark: consumers may fetch it (KIP-392)."""
        self._changes.notify()
        cause = self._cause(_HIGH_WATERMARK, key, high_watermark)
        self.fetch.check_and_complete(key, cause)

    def after_leaving(self, key: TopicPartition, kind: CauseKind) -> None:
        """Check after the node ceased to lead a partition (LEADERSHIP) or deleted it (DELETED)."""
        cause = self._cause(kind, key)
        self.produce.check_and_complete(key, cause)
        self.fetch.check_and_complete(key, cause)
        self.share_fetch.check_and_complete(key, cause)

    def after_share_partition_changed(
        self,
        share_key: Hashable,
        key: TopicPartition,
        kind: CauseKind,
        lock: dict[str, Any] | None = None,
    ) -> None:
        """Check the share fetches of one group: records may be available in its share partition.

        *lock* has the facts of the lock that has expired, for the cause.
        """
        self._changes.notify()
        cause = self._cause(kind, key)
        if lock is not None and cause is not None:
            cause = cause._replace(lock=lock)
        self.share_fetch.check_and_complete(share_key, cause)

    def after_share_fetch(self, share_key: Hashable, key: TopicPartition) -> None:
        """Check the share fetches after one has ended, which may have left records."""
        cause = self._cause(CauseKind.SHARE_FETCH, key)
        self.share_fetch.check_and_complete(share_key, cause)
        self.share_fetch.check_and_complete(key, cause)

    def forget(self, key: TopicPartition) -> None:
        """Remove the expiry counts of a partition whose replica here is deleted (KAFKA-20204)."""
        self.produce.expirations.forget(key)

    def run_on_resignation(self, key: TopicPartition, action: Callable[[], object]) -> None:
        """Call *action*, a part of the resignation from the partition; raises what it raises.

        Group requests that *action* completes get the cause LEADERSHIP.
        """
        self._run_with_cause(self._cause(CauseKind.LEADERSHIP, key), action)

    def _call_listener(self, key: TopicPartition, cause: Cause | None) -> None:
        listeners = self.high_watermark_listeners
        if listeners and (listener := listeners.get(key)) is not None:
            try:
                self._run_with_cause(cause, listener)
            except Exception as error:
                self.on_error(f"the listener to the high watermark of {key}", error)


def _no_cause(*_event: object) -> None:
    """Return None: without a recorder nothing reads the cause."""


def _run(_cause: None, action: Callable[[], object]) -> None:
    action()

"""Descriptions of the waits of share requests (`Wait`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from broker.replication.waits import OperationWait
from broker.share.lock_facts import acquired_facts
from broker.share.share_fetch import ShareFetch
from broker.share.share_partition import SharePartition
from broker.wait_records.causes import Cause, CauseKind
from broker.wait_records.wait import Facts, Wait, WaitPartition
from purgatories.operations.delayed_share_fetch import DelayedShareFetch

_STORED = Cause(CauseKind.COORDINATOR)


class ShareFetchWait(OperationWait[DelayedShareFetch[SharePartition]]):
    """A ShareFetch that waits for records that its member can acquire."""

    __slots__ = ("_fetch", "_now_ms")
    purgatory = "ShareFetch"

    def __init__(
        self,
        operation: DelayedShareFetch[SharePartition],
        fetch: ShareFetch,
        now_ms: Callable[[], float],
    ) -> None:
        self._operation = operation
        self._fetch = fetch
        self._now_ms = now_ms

    def condition(self) -> Facts:
        """The bytes needed and available, and the records that members hold (`acquired_facts`)."""
        facts: Facts = {
            "kind": "share_records",
            "group": self._fetch.params.group_id,
            "need": self._operation.min_bytes,
            "had": self._operation.available_bytes(),
        }
        windows = (
            (each.name, each.records, each.settings.partition_max_record_locks)
            for each in self._fetch.partitions
        )
        return facts | acquired_facts(windows, self._now_ms())

    def partitions(self) -> Iterator[WaitPartition]:
        """Each with the next offset that can be acquired."""
        for each in self._fetch.partitions:
            yield WaitPartition(each.name, each.records.next_fetch_offset(), 0)


class ShareStateWait(Wait):
    """A share request that waits until the share coordinator has stored its acknowledgements."""

    __slots__ = ("_group_id",)
    purgatory = "Persister"

    def __init__(self, group_id: str) -> None:
        self._group_id = group_id

    def condition(self) -> Facts:
        """The group; a write has no counts."""
        return {"kind": "share_state", "group": self._group_id}

    def cause(self, _present: Callable[[], Cause]) -> Cause:
        """The response of the share coordinator."""
        return _STORED

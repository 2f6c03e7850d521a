"""Descriptions of the waits of share requests (`Wait`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from broker.replication.fetch_data import FetchIsolation
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.wait_facts import holding_rules, longest_held_back, with_transaction
from broker.replication.waits import OperationWait
from broker.share.lock_facts import acquired_facts
from broker.share.share_fetch import ShareFetch
from broker.share.share_partition import SharePartition
from broker.wait_records.causes import TIMED_OUT, Cause, CauseKind
from broker.wait_records.wait import Facts, Wait, WaitPartition
from purgatories.delayed_operation import TIMEOUT
from purgatories.operations.delayed_share_fetch import DelayedShareFetch
from purgatories.timer.timer_task import TimerTask

_STORED = Cause(CauseKind.COORDINATOR)
_TXN_COMMITTED: Final = FetchIsolation.TXN_COMMITTED


class ShareFetchWait(OperationWait[DelayedShareFetch[SharePartition]]):
    """A ShareFetch that waits for records that its member can acquire."""

    __slots__ = ("_fetch", "_hosted", "_now_ms", "_when_it_timed_out")
    purgatory = "ShareFetch"

    def __init__(
        self,
        operation: DelayedShareFetch[SharePartition],
        fetch: ShareFetch,
        hosted: HostedPartitions,
        now_ms: Callable[[], float],
    ) -> None:
        self._operation = operation
        self._fetch = fetch
        self._hosted = hosted
        self._now_ms = now_ms
        self._when_it_timed_out: Facts | None = None

    def keep_condition(self) -> None:
        """Keep what is missing at the timeout: the fetch is about to acquire what there is."""
        if self._operation.completed_by == TIMEOUT:
            self._when_it_timed_out = self.condition()

    def release(self) -> None:
        """See `Wait`."""
        super().release()
        self._fetch.before_acquiring = None

    def condition(self) -> Facts:
        """The bytes needed and available, and what keeps records from the member.

        That are other members (`acquired_facts`), rules, and a transaction.
        """
        if self._when_it_timed_out is not None:
            return self._when_it_timed_out
        partitions, hosted = self._fetch.partitions, self._hosted
        facts: Facts = {
            "kind": "share_records",
            "group": self._fetch.params.group_id,
            "need": self._operation.min_bytes,
            "had": self._operation.available_bytes(),
        }
        windows = (
            (each.name, each.records, each.settings.partition_max_record_locks)
            for each in partitions
        )
        facts |= acquired_facts(windows, self._now_ms())
        offsets = ((each.name, each.records.next_fetch_offset()) for each in partitions)
        if rules := holding_rules(hosted, offsets):
            facts["faults"] = rules
        return facts | self._transaction("acquired" in facts)

    def _transaction(self, has_other_reasons: bool) -> Facts:
        """The transaction that holds back a partition; the kind of the wait, if nothing else is."""
        if not self._is_read_committed:
            return {}
        held = longest_held_back(self._hosted, (each.name for each in self._fetch.partitions))
        if held is None:
            return {}
        return held if has_other_reasons else {"kind": "transaction", **held}

    @property
    def _is_read_committed(self) -> bool:
        return self._fetch.params.isolation is _TXN_COMMITTED

    def cause(self, present: Callable[[], Cause]) -> Cause | None:
        """The end of a transaction, if the event replicated its marker."""
        cause = super().cause(present)
        return with_transaction(self._hosted, cause) if self._is_read_committed else cause

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


class ShareSessionLimitWait(Wait):
    """A ShareFetch that is refused after *delay*: no further share session may be opened."""

    __slots__ = ("_delay", "_group_id")
    purgatory = "ShareSessionLimit"

    def __init__(self, delay: TimerTask, group_id: str) -> None:
        self._delay = delay
        self._group_id = group_id

    @property
    def timeout_ms(self) -> int:
        """See `Wait`."""
        return int(self._delay.delay_ms)

    def remaining_ms(self, now_ms: float) -> int:
        """See `Wait`."""
        return max(0, int(self._delay.expiration_ms - now_ms))

    def condition(self) -> Facts:
        """Nothing but the end of the delay."""
        return {"kind": "share_session_limit", "group": self._group_id}

    def cause(self, _present: Callable[[], Cause]) -> Cause:
        """The end of the delay."""
        return TIMED_OUT

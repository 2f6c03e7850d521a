"""Causes: the events that complete waits, as wait records name them.

A check of a purgatory passes the cause to the operations that it completes. A cause names the
request that was being handled at the time of the event.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from broker.common.topic_partition import TopicPartition
from protocol.api_names import api_name
from protocol.headers import RequestHeader


class CauseKind(StrEnum):
    """The kinds of docs/reference/records.md; ARRIVAL and ERROR: the request did not wait."""

    ARRIVAL = "arrival"
    APPEND = "append"
    HIGH_WATERMARK = "high_watermark"
    LEADERSHIP = "leadership"
    DELETED = "deleted"
    ERROR = "error"
    TIMEOUT = "timeout"
    DISCONNECT = "disconnect"
    MEMBERS = "members"
    FLUSH = "flush"
    SHUTDOWN = "shutdown"
    COORDINATOR = "coordinator"
    TRANSACTION = "transaction"
    APPLIED = "applied"
    RULE_REMOVED = "rule_removed"
    ACKNOWLEDGEMENT = "acknowledgement"
    LOCK_EXPIRED = "lock_expired"
    SHARE_SESSION = "share_session"
    SHARE_FETCH = "share_fetch"


# A transaction, of which the recorder knows the transactional id: see `Recorder.transactional_id`.
Transaction = dict[str, Any]


class Cause(NamedTuple):
    """An event; a field is None if it is unknown or does not apply.

    ``offset`` is the partition's new log end or high watermark, ``replica`` the node whose fetch
    moved it. ``transaction`` is what ended, if that is the cause: ``producer_id``, ``outcome``
    (``commit`` or ``abort``) and ``held_ms``, for which the last stable offset had not moved.
    ``lock`` is the lock on records of a share partition that has expired. ``segment`` is the base
    offset of a segment in which the partition continues, if that ended the wait of a fetch.
    """

    kind: CauseKind
    key: TopicPartition | None = None
    offset: int | None = None
    replica: int | None = None
    request: RequestHeader | None = None
    transaction: Transaction | None = None
    lock: dict[str, Any] | None = None
    segment: int | None = None

    def is_end_of(self, event: Cause) -> bool:
        """Whether it is *event*, perhaps with what a wait knows about its end."""
        if self is event:
            return True
        return event == self._replace(kind=event.kind, transaction=None, segment=None)

    def to_dict(self) -> dict[str, Any]:
        """The field ``completed_by`` of a wait record, without the parts that are None."""
        facts: dict[str, Any] = {"cause": str(self.kind)}
        if self.key is not None:
            facts["topic"], facts["partition"] = self.key
        if self.offset is not None:
            facts["offset"] = self.offset
        if self.replica is not None:
            facts["replica"] = self.replica
        if self.transaction is not None:
            facts["transaction"] = self.transaction
        if self.segment is not None:
            facts["segment"] = self.segment
        if self.lock is not None:
            facts["lock"] = self.lock
        if self.request is not None:
            facts["request"] = {
                "api": api_name(self.request.api_key),
                "client_id": self.request.client_id,
                "correlation_id": self.request.correlation_id,
            }
        return facts


ARRIVED = Cause(CauseKind.ARRIVAL)
REFUSED = Cause(CauseKind.ERROR)
TIMED_OUT = Cause(CauseKind.TIMEOUT)
RULE_REMOVED = Cause(CauseKind.RULE_REMOVED)

"""Who has acquired records of share partitions, until when, as wait records name it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import Final

from broker.common.topic_partition import TopicPartition
from broker.share.acquisition_lock import AcquisitionLock
from broker.share.in_flight_batch import Run
from broker.share.in_flight_records import InFlightRecords
from broker.wait_records.wait import Facts

LOCKS_MAX: Final = 4  # of one wait; those that expire first


def acquired_facts(
    windows: Iterable[tuple[TopicPartition, InFlightRecords, int]], now_ms: float
) -> Facts:
    """How many records are acquired and available, and the locks that expire first.

    *windows* are the records of share partitions, each with the most that may be in flight.
    ``acquired``, ``member`` and ``lock_expires_in_ms`` are missing if no record is acquired,
    ``available`` if none was released, and ``full_window`` unless a window has no room.
    """
    acquired = available = 0
    held: dict[AcquisitionLock, tuple[TopicPartition, list[Run]]] = {}
    facts: Facts = {}
    for name, records, in_flight_max in windows:
        for run in records.window.runs():
            if run.lock is not None:
                acquired += len(run)
                held.setdefault(run.lock, (name, []))[1].append(run)
            elif run.is_available and run.last >= records.start_offset:
                available += len(run)
        if records.count >= in_flight_max:
            facts["full_window"] = str(name)
    if available:
        facts["available"] = available
    if not held:
        return facts
    first = nsmallest(LOCKS_MAX, held, key=lambda lock: lock.expiration_ms)
    return facts | {
        "acquired": acquired,
        "member": first[0].member_id,
        "lock_expires_in_ms": _left_ms(first[0], now_ms),
        "locks": [
            {
                "topic": held[lock][0].topic,
                "partition": held[lock][0].partition,
                **released_facts(lock, held[lock][1]),
                "lock_expires_in_ms": _left_ms(lock, now_ms),
            }
            for lock in first
        ],
    }


def released_facts(lock: AcquisitionLock, runs: Sequence[Run]) -> Facts:
    """The records that a lock holds, or has held: their offsets, member and delivery count."""
    return {
        "first_offset": runs[0].first,
        "last_offset": runs[-1].last,
        "member": lock.member_id,
        "delivery_count": max(run.delivery_count for run in runs),
    }


def _left_ms(lock: AcquisitionLock, now_ms: float) -> int:
    return max(0, int(lock.expiration_ms - now_ms))

"""Who has acquired records of share partitions, until when, as wait records name it."""

from __future__ import annotations

from collections.abc import Iterable

from broker.share.share_partition import SharePartition
from broker.wait_records.wait import Facts


def acquired_facts(share_partitions: Iterable[SharePartition], now_ms: float) -> Facts:
    """The number of acquired records, and the lock that expires first; empty if there is none."""
    count, first = 0, None
    for share_partition in share_partitions:
        for run in share_partition.records.window.runs():
            if run.lock is not None:
                count += len(run)
                if first is None or run.lock.expiration_ms < first.expiration_ms:
                    first = run.lock
    if first is None:
        return {}
    expires_in_ms = max(0, int(first.expiration_ms - now_ms))
    return {"acquired": count, "member": first.member_id, "lock_expires_in_ms": expires_in_ms}

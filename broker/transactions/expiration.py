"""Removes transactional ids that were not used for a long time (KIP-98)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from broker.steps.queue import Slices
from broker.transactions.log_records import tombstone
from broker.transactions.metadata import TransactionMetadata
from broker.transactions.state_manager import TransactionStateManager
from broker.transactions.transitions import dead
from protocol.errors import ErrorCode

# The keys of one batch; with its other bytes it is far below the default of max.message.bytes.
_BATCH_KEY_BYTES = 64 * 1024


def remove_expired(
    states: TransactionStateManager, expiration_ms: int, now_ms: int
) -> Slices[None]:
    """Write tombstones for the ids whose last transition is at least *expiration_ms* old.

    Requests for these ids get CONCURRENT_TRANSACTIONS until the tombstones are replicated. If they
    cannot be written, the ids are kept and expire in the next run.
    """
    for partition in states.partitions():
        yield None
        is_expired = partial(_is_expired, states, now_ms - expiration_ms)
        for batch in _batches(list(filter(is_expired, states.entries(partition)))):
            yield None
            current = list(filter(is_expired, batch))
            for entry in current:
                entry.pending = dead(entry.value, now_ms)
            records = [tombstone(entry.transactional_id) for entry in current]
            if records:
                states.append_tombstones(current, records, partial(_on_written, states, current))


def _is_expired(states: TransactionStateManager, last_ms: int, entry: TransactionMetadata) -> bool:
    return (
        entry.pending is None
        and entry.value.state.is_idle
        and entry.value.last_update_ms <= last_ms
        and states.is_current(entry)
    )


def _on_written(
    states: TransactionStateManager, batch: list[TransactionMetadata], error: ErrorCode
) -> None:
    for entry in batch:
        entry.pending = None
        if error is ErrorCode.NONE:
            states.remove(entry)


def _batches(entries: list[TransactionMetadata]) -> Iterator[list[TransactionMetadata]]:
    batch: list[TransactionMetadata] = []
    key_bytes = 0
    for entry in entries:
        size = len(entry.transactional_id.encode())
        if batch and key_bytes + size > _BATCH_KEY_BYTES:
            yield batch
            batch, key_bytes = [], 0
        batch.append(entry)
        key_bytes += size
    if batch:
        yield batch

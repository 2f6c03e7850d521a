"""Removes transactional ids: those that were not used for a long time (KIP-98), or named ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    last_ms = now_ms - expiration_ms
    return _remove(states, lambda entry: entry.value.last_update_ms <= last_ms, now_ms)


def remove_ids(
    states: TransactionStateManager, is_named: Callable[[str], bool], now_ms: int
) -> Slices[None]:
    """Write tombstones for the ids that *is_named* selects and that have no open transaction."""
    return _remove(states, lambda entry: is_named(entry.transactional_id), now_ms)


def _remove(
    states: TransactionStateManager, selects: Callable[[TransactionMetadata], bool], now_ms: int
) -> Slices[None]:
    def may_go(entry: TransactionMetadata) -> bool:
        return _is_idle(states, entry) and selects(entry)

    for partition in states.partitions():
        yield None
        for batch in _batches(list(filter(may_go, states.entries(partition)))):
            yield None
            current = list(filter(may_go, batch))
            for entry in current:
                entry.pending = dead(entry.value, now_ms)
            records = [tombstone(entry.transactional_id) for entry in current]
            if records:
                states.append_tombstones(current, records, partial(_on_written, states, current))


def _is_idle(states: TransactionStateManager, entry: TransactionMetadata) -> bool:
    return entry.pending is None and entry.value.state.is_idle and states.is_current(entry)


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

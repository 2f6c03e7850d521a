"""Which transactions have timed out (``TransactionStateManager.timedOutTransactions``)."""

from __future__ import annotations

from broker.transactions.metadata import NO_TIMEOUT_MS, TransactionMetadata
from broker.transactions.transaction_state import TransactionState


def is_timed_out(entry: TransactionMetadata, now_ms: int) -> bool:
    """Whether the transaction has been open for longer than its timeout at *now_ms*.

    One with a transition in progress is checked again later; two-phase commit has no timeout.
    """
    value = entry.value
    return (
        value.state is TransactionState.ONGOING
        and entry.pending is None
        and value.timeout_ms != NO_TIMEOUT_MS
        and value.start_ms + value.timeout_ms < now_ms
    )

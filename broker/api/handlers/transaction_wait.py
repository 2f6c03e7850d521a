"""The description of the wait of a transactional request for its record (`Wait`)."""

from __future__ import annotations

from collections.abc import Callable

from broker.wait_records.causes import Cause
from broker.wait_records.wait import Facts, Wait


class TransactionWait(Wait):
    """Waits until the record of a transactional id is replicated.

    ``transactional_id`` is None for a request about several ids. The timeout is that of the
    transaction, None if it is not known.
    """

    __slots__ = ("_timeout_ms", "_transactional_id")
    purgatory = "Produce"

    def __init__(self, transactional_id: str | None, timeout_ms: int | None = None) -> None:
        self._transactional_id = transactional_id
        self._timeout_ms = timeout_ms

    @property
    def timeout_ms(self) -> int | None:
        """See `Wait`."""
        return self._timeout_ms

    def condition(self) -> Facts:
        """The transactional id."""
        return {"kind": "stored", "transactional_id": self._transactional_id}

    def cause(self, present: Callable[[], Cause]) -> Cause:
        """The event that completes the callback of the coordinator."""
        return present()

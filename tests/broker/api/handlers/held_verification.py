"""Verifications of transactions that a test ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from broker.common.topic_partition import TopicPartition
from broker.transactions.add_partitions_to_txn import SupportedOperation
from broker.transactions.verification import OnVerified, Verified
from protocol.errors import ErrorCode


class Call(NamedTuple):
    """The arguments of a call of `HeldVerification.verify`."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: dict[TopicPartition, int]
    operation: SupportedOperation


class HeldVerification:
    """Verifies at once, or in `end` if ``is_held``.

    The results have ``error``, if it is set, and the guards otherwise, which are 1, 2 and so on.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.is_held = False
        self.error = ErrorCode.NONE
        self._held: list[tuple[OnVerified, Verified]] = []

    def coordinator(self, _transactional_id: str) -> int | None:
        """The node that coordinates any id."""
        return 3

    def verify(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Mapping[TopicPartition, int],
        operation: SupportedOperation,
        on_verified: OnVerified,
    ) -> None:
        """See `TransactionVerification`."""
        self.calls.append(
            Call(transactional_id, producer_id, producer_epoch, dict(partitions), operation)
        )
        guard = len(self.calls)
        errors = dict.fromkeys(partitions, self.error) if self.error else {}
        result = Verified(errors, dict.fromkeys(partitions, guard))
        if self.is_held:
            self._held.append((on_verified, result))
        else:
            on_verified(result)

    def end(self) -> None:
        """End the oldest verification that is held."""
        on_verified, result = self._held.pop(0)
        on_verified(result)

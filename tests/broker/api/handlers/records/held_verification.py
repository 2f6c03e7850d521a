"""Verifications of transactions that a test ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from broker.common.topic_partition import TopicPartition
from broker.transactions.verification import OnVerified, Producer, Verified
from protocol.errors import ErrorCode


class Call(NamedTuple):
    """The arguments of a call of `HeldVerification.start`."""

    producer: Producer
    partitions: dict[TopicPartition, int]


class HeldVerification:
    """Needs no request, or if ``is_held`` one that ends in `end`.

    The results have ``error``, if it is set. The guards of requests are 1, 2 and so on.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.is_held = False
        self.error = ErrorCode.NONE
        self._held: list[tuple[OnVerified, Verified]] = []

    def coordinator(self, _transactional_id: str) -> int | None:
        """The node that coordinates any id."""
        return 3

    def start(self, producer: Producer, partitions: Mapping[TopicPartition, int]) -> Verified:
        """See `TransactionVerification`."""
        self.calls.append(Call(producer, dict(partitions)))
        if self.is_held:
            return Verified({}, dict.fromkeys(partitions, len(self.calls)))
        return Verified(self._errors(partitions), {})

    def request(self, _producer: Producer, started: Verified, on_verified: OnVerified) -> None:
        """See `TransactionVerification`."""
        errors = self._errors(started.guards)
        self._held.append((on_verified, Verified(errors, started.guards)))

    def end(self) -> None:
        """End the oldest verification that is held."""
        on_verified, result = self._held.pop(0)
        on_verified(result)

    def _errors(self, partitions: Mapping[TopicPartition, int]) -> dict[TopicPartition, ErrorCode]:
        return dict.fromkeys(partitions, self.error) if self.error else {}

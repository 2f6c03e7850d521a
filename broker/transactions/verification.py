"""Verifies, before the first batch of a transaction, that its partition is in the transaction.

    start --> guard of each partition --none--> the transaction is open here: no request is needed
                 |
                 `--> AddPartitionsToTxnSender --> coordinator --> errors; retried after 51

A batch that is appended with a guard opens a transaction only if no marker was written since the
guard was made (KIP-890; ``ReplicaManager.maybeSendPartitionsToTransactionCoordinator``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.replication.hosted_partitions import HostedPartitions
from broker.steps.schedule import schedule_once
from broker.storage.producers.verification_state import NO_GUARD
from broker.storage.validation.append import AppendRefused
from broker.transactions.add_partitions_to_txn import Errors, SupportedOperation
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer


class Verified(NamedTuple):
    """The result: partitions that may not be appended to, and the guards of appends."""

    errors: Errors
    guards: dict[TopicPartition, int]


OnVerified = Callable[[Verified], None]


class Producer(NamedTuple):
    """The transactional producer of a request, and what the request's version supports."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    operation: SupportedOperation


class PartitionSender(Protocol):
    """The part of `AddPartitionsToTxnSender` that is used here."""

    def coordinator(self, transactional_id: str) -> int | None:
        """The node that coordinates the id; None if there is none."""
        ...

    def add_or_verify(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Collection[TopicPartition],
        operation: SupportedOperation,
        on_response: Callable[[Errors], None],
    ) -> None:
        """Add or verify partitions; see `AddPartitionsToTxnSender`."""
        ...


class TransactionVerification:
    """The verification of one node's partitions."""

    def __init__(
        self,
        config: Config,
        timer: SystemTimer,
        partitions: HostedPartitions,
        sender: PartitionSender,
        actions: ActionQueue,
    ) -> None:
        self._actions = actions
        self._config = config
        self._timer = timer
        self._partitions = partitions
        self._sender = sender

    def coordinator(self, transactional_id: str) -> int | None:
        """The node that coordinates the id; None if there is none."""
        return self._sender.coordinator(transactional_id)

    def start(self, producer: Producer, partitions: Mapping[TopicPartition, int]) -> Verified:
        """Begin the verification; without guards it has ended, and no request is necessary.

        The values of *partitions* are the base sequences of their first batches. The errors are
        those of the partitions themselves, such as INVALID_PRODUCER_EPOCH and
        NOT_LEADER_OR_FOLLOWER. There are no guards in an open transaction, and for requests whose
        versions do not add partitions if ``transaction.partition.verification.enable`` is false.
        """
        errors: Errors = {}
        guards: dict[TopicPartition, int] = {}
        _, producer_id, producer_epoch, operation = producer
        supports_epoch_bump = operation.supports_epoch_bump
        if self._config.transaction_partition_verification_enable or supports_epoch_bump:
            for key, base_sequence in partitions.items():
                try:
                    partition = self._partitions.get_or_error(key)
                    guard = partition.maybe_start_transaction_verification(
                        producer_id, producer_epoch, base_sequence, supports_epoch_bump
                    )
                except ApiError as error:
                    errors[key] = error.code
                except AppendRefused as refusal:
                    errors[key] = refusal.error
                else:
                    if guard != NO_GUARD:
                        guards[key] = guard
        return Verified(errors, guards)

    def request(self, producer: Producer, started: Verified, on_verified: OnVerified) -> None:
        """Request what `start` has found necessary from the coordinator.

        *on_verified* is called from the action queue with the errors of *started* and those of
        `AddPartitionsToTxnSender.add_or_verify`.
        """
        self._sender.add_or_verify(
            producer.transactional_id,
            producer.producer_id,
            producer.producer_epoch,
            started.guards,
            producer.operation,
            partial(_combine, started, on_verified),
        )

    def request_with_retries(
        self,
        producer: Producer,
        partitions: Mapping[TopicPartition, int],
        started: Verified,
        on_verified: OnVerified,
    ) -> None:
        """Call `request` for a Produce, and repeat it after a conflict.

        If partitions can be added, CONCURRENT_TRANSACTIONS means that the markers of the previous
        transaction are being written. Then the request is repeated every
        ``add.partitions.to.txn.retry.backoff.ms``, in all for
        ``add.partitions.to.txn.retry.backoff.max.ms``, before the client gets that error.
        """
        if not producer.operation.supports_epoch_bump:
            self.request(producer, started, on_verified)
            return
        config, now_ms = self._config, self._timer.now_ms
        retry_max_ms = min(
            config.add_partitions_to_txn_retry_backoff_max_ms, config.request_timeout_ms
        )
        ends_ms = now_ms() + retry_max_ms

        def on_response(verified: Verified) -> None:
            if ErrorCode.CONCURRENT_TRANSACTIONS in verified.errors.values() and now_ms() < ends_ms:
                schedule_once(
                    self._timer, repeat, delay_ms=config.add_partitions_to_txn_retry_backoff_ms
                )
            else:
                on_verified(verified)

        def repeat() -> None:
            started = self.start(producer, partitions)
            if started.guards:
                self.request(producer, started, on_response)
            else:
                on_verified(started)
            self._actions.try_complete_actions()

        self.request(producer, started, on_response)


def _combine(started: Verified, on_verified: OnVerified, errors: Errors) -> None:
    on_verified(Verified({**started.errors, **errors}, started.guards))

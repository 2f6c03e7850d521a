"""The verification of a Produce request's transactional batches, before they are appended.

    batches --> guards of their partitions --none--> the transaction is open: append at once
                    `--> the request is parked --> the coordinator responds --> append with guards

Behaviour: all transactional batches of a request have one producer id and epoch. A client that
disconnects meanwhile does not prevent the append, as in Kafka.

Versions: up to 11 the partitions are verified, from 12 on they are added to the transaction
(KIP-890). 11 knows TRANSACTION_ABORTABLE, 12 CONCURRENT_TRANSACTIONS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from broker.api.handlers.transactions.transaction_waits import VerificationWait
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.produce_result import ProduceResult
from broker.steps.queue import Slices
from broker.storage.validation.append import ReceivedBatch
from broker.transactions.add_partitions_to_txn import SupportedOperation
from broker.transactions.verification import Producer, Verified
from protocol.errors import ErrorCode
from protocol.messages.produce import ProduceRequest

_ADDS_PARTITIONS_SINCE = 12
_KNOWS_ABORTABLE_SINCE = 11
_NO_PRODUCER_ID = -1

# Clients send a batch again after NOT_ENOUGH_REPLICAS, without new metadata.
_RETRIABLE = frozenset(
    {
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
    }
)

# Continues the request: appends what has no error, with the guards.
Proceed = Callable[[Verified], Outcome | Slices[Outcome]]


def verify(
    request: Request[ProduceRequest],
    transactional_id: str,
    batches: dict[TopicPartition, ReceivedBatch],
    proceed: Proceed,
) -> Outcome | Slices[Outcome]:
    """Verify the transactional ones of *batches*, which are copied if the request has to wait.

    Raises `ApiError` INVALID_PRODUCER_ID_MAPPING if they have several producers.
    """
    producer, sequences = _producer(request.version, transactional_id, batches)
    if producer is None:
        return proceed(Verified({}, {}))
    verification = request.services.verification
    started = verification.start(producer, sequences)
    if not started.guards:
        return proceed(started)
    if not request.keep():
        for key, batch in batches.items():
            batches[key] = batch.copied()

    request.wait = VerificationWait(
        transactional_id,
        verification.coordinator(transactional_id),
        sequences,
        request.services.config.request_timeout_ms,
    )
    on_verified = partial(request.resume, request, proceed)
    verification.request_with_retries(producer, sequences, started, on_verified)
    return PARKED


def _producer(
    version: int, transactional_id: str, batches: Mapping[TopicPartition, ReceivedBatch]
) -> tuple[Producer | None, dict[TopicPartition, int]]:
    """The producer of the transactional batches, and their base sequences.

    None if none has a producer id: such a batch has ordinary records, as in Kafka.
    """
    producers: set[tuple[int, int]] = set()
    sequences: dict[TopicPartition, int] = {}
    for key, batch in batches.items():
        header = batch.header
        if header is None or not header.is_transactional:
            continue
        if header.producer_id != _NO_PRODUCER_ID:
            producers.add((header.producer_id, header.producer_epoch))
            sequences[key] = header.base_sequence
    if len(producers) > 1:
        raise ApiError(
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            "Transactional records contained more than one producer ID",
        )
    for producer_id, producer_epoch in producers:
        operation = _operation(version)
        return Producer(transactional_id, producer_id, producer_epoch, operation), sequences
    return None, sequences


def _operation(version: int) -> SupportedOperation:
    if version >= _ADDS_PARTITIONS_SINCE:
        return SupportedOperation.ADD_PARTITION
    if version >= _KNOWS_ABORTABLE_SINCE:
        return SupportedOperation.GENERIC_ERROR
    return SupportedOperation.DEFAULT


def unverified(error: ErrorCode, version: int) -> ProduceResult:
    """The result of a partition whose verification has failed; the messages are Kafka's."""
    if error is ErrorCode.INVALID_TXN_STATE:
        return ProduceResult(error, message="Partition was not added to the transaction")
    is_unknown_to_client = (
        error is ErrorCode.CONCURRENT_TRANSACTIONS and version < _ADDS_PARTITIONS_SINCE
    )
    if error in _RETRIABLE or is_unknown_to_client:
        return ProduceResult(
            ErrorCode.NOT_ENOUGH_REPLICAS,
            message="Unable to verify the partition has been added to the transaction. "
            f"Underlying error: {error.name}",
        )
    return ProduceResult(error)

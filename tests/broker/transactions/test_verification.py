"""The verification of partitions before the first batch of a transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.replication.hosted_partitions import HostedPartitions
from broker.storage.producers.verification_state import NO_GUARD
from broker.storage.validation.append import AppendRefused
from broker.transactions.add_partitions_to_txn import Errors, SupportedOperation
from broker.transactions.verification import Producer, TransactionVerification, Verified
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.builds import only_pure

pytestmark = only_pure("compiled functions take no partitions of a test")

A, B, MOVED = TopicPartition("a", 0), TopicPartition("b", 0), TopicPartition("moved", 0)
ADD, VERIFY = SupportedOperation.ADD_PARTITION, SupportedOperation.DEFAULT
CONCURRENT = ErrorCode.CONCURRENT_TRANSACTIONS


class Partition:
    """Gives numbered guards, or the result that a test sets."""

    def __init__(self, key: TopicPartition, guards: Guards) -> None:
        self.key = key
        self._guards = guards
        self.result: int | Exception | None = None
        self.started: list[tuple[int, int, int, bool]] = []

    def maybe_start_transaction_verification(
        self, producer_id: int, producer_epoch: int, base_sequence: int, supports_epoch_bump: bool
    ) -> int:
        self.started.append((producer_id, producer_epoch, base_sequence, supports_epoch_bump))
        if isinstance(self.result, Exception):
            raise self.result
        return self._guards.next() if self.result is None else self.result


class Guards:
    """The numbers 1, 2, ..."""

    def __init__(self) -> None:
        self._last = NO_GUARD

    def next(self) -> int:
        self._last += 1
        return self._last


@dataclass
class Sender:
    """Keeps the requests, to which the test responds."""

    requests: list[tuple[str, int, int, set[TopicPartition], SupportedOperation]] = field(
        default_factory=list
    )
    responses: list[Callable[[Errors], None]] = field(default_factory=list)

    def coordinator(self, _transactional_id: str) -> int | None:
        return 2

    def add_or_verify(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Collection[TopicPartition],
        operation: SupportedOperation,
        on_response: Callable[[Errors], None],
    ) -> None:
        request = transactional_id, producer_id, producer_epoch, set(partitions), operation
        self.requests.append(request)
        self.responses.append(on_response)


class Verifying:
    """A verification of the partitions ``A`` and ``B``; time passes in `pass_ms`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.config = Config()
        self.timer = SystemTimer("node", now_ms=lambda: self.now)
        self.sender = Sender()
        self.actions = ActionQueue()
        guards = Guards()
        self.partitions = {key: Partition(key, guards) for key in (A, B)}
        hosted = HostedPartitions(lambda key: key == MOVED)
        for partition in self.partitions.values():
            hosted.add(cast("Any", partition))
        self.verification = TransactionVerification(
            self.config, self.timer, hosted, self.sender, self.actions
        )
        self.results: list[Verified] = []

    def verify(self, *keys: TopicPartition, operation: SupportedOperation = ADD) -> list[Verified]:
        """Verify partitions; returns the results so far."""
        partitions = {key: 10 + number for number, key in enumerate(keys)}
        producer = Producer("t", 7, 3, operation)
        started = self.verification.start(producer, partitions)
        if started.guards:
            self.verification.request(producer, started, self.results.append)
        else:
            self.results.append(started)
        return self.results

    def produce(self, operation: SupportedOperation = ADD) -> None:
        """Verify ``A`` for a Produce."""
        producer = Producer("t", 7, 3, operation)
        started = self.verification.start(producer, {A: 0})
        self.verification.request_with_retries(producer, {A: 0}, started, self.results.append)

    def respond(self, **errors: ErrorCode) -> None:
        """Respond to the last request with the errors of topics."""
        named = {TopicPartition(topic, 0): error for topic, error in errors.items()}
        self.sender.responses[-1](named)

    def pass_ms(self, milliseconds: float) -> None:
        """Let time pass."""
        self.now += milliseconds
        self.timer.advance_clock(0)


@pytest.mark.parametrize("operation", SupportedOperation)
def test_partitions_without_open_transaction_are_requested(operation: SupportedOperation) -> None:
    """The result has their guards."""
    made = Verifying()

    assert made.verify(A, B, operation=operation) == []

    assert made.sender.requests == [("t", 7, 3, {A, B}, operation)]
    assert made.partitions[B].started == [(7, 3, 11, operation is ADD)]
    made.respond()
    assert made.results == [Verified({}, {A: 1, B: 2})]


def test_an_open_transaction_needs_no_request() -> None:
    """The result is there at once, without guards."""
    made = Verifying()
    made.partitions[A].result = NO_GUARD

    assert made.verify(A) == [Verified({}, {})]

    assert made.sender.requests == []


def test_only_partitions_with_a_guard_are_requested() -> None:
    """Others are open, or have an error."""
    made = Verifying()
    made.partitions[A].result = NO_GUARD

    made.verify(A, B)

    assert made.sender.requests == [("t", 7, 3, {B}, ADD)]


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (AppendRefused(ErrorCode.INVALID_PRODUCER_EPOCH), ErrorCode.INVALID_PRODUCER_EPOCH),
        (ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER), ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_the_errors_of_partitions_are_in_the_result(result: Exception, error: ErrorCode) -> None:
    """Beside those of the coordinator."""
    made = Verifying()
    made.partitions[A].result = result

    made.verify(A, B)
    made.respond(b=ErrorCode.INVALID_PRODUCER_ID_MAPPING)

    errors = {A: error, B: ErrorCode.INVALID_PRODUCER_ID_MAPPING}
    assert made.results == [Verified(errors, {B: 1})]


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (MOVED, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (TopicPartition("deleted", 0), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_a_partition_that_is_not_here_is_not_requested(
    key: TopicPartition, error: ErrorCode
) -> None:
    """Its error ends the verification."""
    assert Verifying().verify(key) == [Verified({key: error}, {})]


@pytest.mark.parametrize(
    "operation", [SupportedOperation.DEFAULT, SupportedOperation.GENERIC_ERROR]
)
def test_verification_can_be_disabled(operation: SupportedOperation) -> None:
    """By transaction.partition.verification.enable, for requests that do not add partitions."""
    made = Verifying()
    made.config.transaction_partition_verification_enable = False

    assert made.verify(A, operation=operation) == [Verified({}, {})]

    assert made.partitions[A].started == []


def test_adding_partitions_cannot_be_disabled() -> None:
    """The coordinator would not know that they belong to the transaction."""
    made = Verifying()
    made.config.transaction_partition_verification_enable = False

    made.verify(A)

    assert made.sender.requests == [("t", 7, 3, {A}, ADD)]


def test_a_conflict_of_a_commit_is_not_retried() -> None:
    """The client of TxnOffsetCommit gets it at once."""
    made = Verifying()
    made.verify(A)

    made.respond(a=CONCURRENT)

    assert made.results == [Verified({A: CONCURRENT}, {A: 1})]


def test_a_conflict_of_a_produce_is_retried() -> None:
    """Every 20 ms, with new guards."""
    made = Verifying()
    made.produce()
    made.respond(a=CONCURRENT)
    assert made.results == []
    made.pass_ms(19)
    assert len(made.sender.requests) == 1

    made.pass_ms(2)

    assert len(made.sender.requests) == 2
    made.respond()
    assert made.results == [Verified({}, {A: 2})]


def test_a_conflict_that_persists_is_the_result_after_100_ms() -> None:
    """The markers of the previous transaction have not been written."""
    made = Verifying()
    made.produce()
    for _ in range(5):
        made.respond(a=CONCURRENT)
        made.pass_ms(20)
    assert made.results == []

    made.respond(a=CONCURRENT)

    assert made.results == [Verified({A: CONCURRENT}, {A: 6})]


def test_the_time_of_retries_is_bounded_by_the_request_timeout() -> None:
    """If that is shorter than add.partitions.to.txn.retry.backoff.max.ms."""
    made = Verifying()
    made.config.request_timeout_ms = 10
    made.produce()
    made.pass_ms(10)

    made.respond(a=CONCURRENT)

    assert made.results == [Verified({A: CONCURRENT}, {A: 1})]


def test_other_errors_are_not_retried() -> None:
    """The client decides."""
    made = Verifying()
    made.produce()

    made.respond(a=ErrorCode.NOT_COORDINATOR)

    assert made.results == [Verified({A: ErrorCode.NOT_COORDINATOR}, {A: 1})]


def test_a_conflict_of_a_verification_is_not_retried() -> None:
    """Old clients get a retriable error."""
    made = Verifying()
    made.produce(VERIFY)

    made.respond(a=CONCURRENT)

    assert made.results == [Verified({A: CONCURRENT}, {A: 1})]


def test_a_transaction_that_opens_meanwhile_ends_the_retries() -> None:
    """Another request of the producer has begun it."""
    made = Verifying()
    made.produce()
    made.respond(a=CONCURRENT)
    made.partitions[A].result = NO_GUARD

    made.pass_ms(21)

    assert made.results == [Verified({}, {})]


def test_actions_run_after_a_retry() -> None:
    """The sender passes some results from the action queue."""
    made = Verifying()
    ran: list[int] = []
    made.produce()
    made.respond(a=CONCURRENT)
    made.actions.add(lambda: ran.append(1))

    made.pass_ms(21)

    assert ran == [1]

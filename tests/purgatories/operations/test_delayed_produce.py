"""Kafka's DelayedProduceTest."""

from __future__ import annotations

import pytest

from purgatories.expiration_meter import ExpirationMeter
from purgatories.operations.delayed_produce import DelayedProduce, ProducePartitionStatus

REQUEST_TIMED_OUT = 7
NOT_LEADER_OR_FOLLOWER = 6
NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20
MESSAGE_TOO_LARGE = 10


class Replicas:
    """Answers what it is told to; remembers whom it was asked about."""

    def __init__(self, **answers: tuple[bool, int]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def check_enough_replicas(self, key: str, required_offset: int) -> tuple[bool, int]:
        self.asked.append(key)
        return self.answers[key]


class Produce:
    """A produce of partitions a, b, … with their first errors."""

    def __init__(self, replicas: Replicas, **errors: int) -> None:
        self.statuses = {key: ProducePartitionStatus(10, error) for key, error in errors.items()}
        self.answers: list[dict[str, int]] = []
        self.operation = DelayedProduce(
            1000,
            self.statuses,
            replicas,
            lambda statuses: self.answers.append({k: s.error for k, s in statuses.items()}),
        )


def test_constructor_presets_the_timeout() -> None:
    """DelayedProduceTest: what is appended waits, with REQUEST_TIMED_OUT as its answer so far."""
    produce = Produce(Replicas(), a=0, b=MESSAGE_TOO_LARGE)
    assert produce.statuses["a"].acks_pending
    assert produce.statuses["a"].error == REQUEST_TIMED_OUT
    assert not produce.statuses["b"].acks_pending
    assert produce.statuses["b"].error == MESSAGE_TOO_LARGE


def test_enough_replicas_complete() -> None:
    """DelayedProduceTest: case C.1, no error."""
    produce = Produce(Replicas(a=(True, 0)), a=0)
    assert produce.operation.try_complete()
    assert produce.answers == [{"a": 0}]


def test_replicas_that_lag_keep_it_waiting() -> None:
    """DelayedProduceTest: no answer is given."""
    produce = Produce(Replicas(a=(False, 0)), a=0)
    assert not produce.operation.try_complete()
    assert produce.answers == []
    assert produce.statuses["a"].acks_pending


@pytest.mark.parametrize(
    "answer", [(False, NOT_LEADER_OR_FOLLOWER), (True, NOT_ENOUGH_REPLICAS_AFTER_APPEND)]
)
def test_error_completes_with_it(answer: tuple[bool, int]) -> None:
    """DelayedProduceTest: cases A, B and C.2."""
    produce = Produce(Replicas(a=answer), a=0)
    assert produce.operation.try_complete()
    assert produce.answers == [{"a": answer[1]}]


def test_partition_that_failed_to_append_is_never_asked_about() -> None:
    """DelayedProduceTest: its error stands."""
    replicas = Replicas(a=(True, 0))
    produce = Produce(replicas, a=0, b=MESSAGE_TOO_LARGE)
    assert produce.operation.try_complete()
    assert replicas.asked == ["a"]
    assert produce.answers == [{"a": 0, "b": MESSAGE_TOO_LARGE}]


def test_one_pending_partition_holds_all() -> None:
    """DelayedProduceTest: nobody is answered by halves."""
    replicas = Replicas(a=(True, 0), b=(False, 0))
    produce = Produce(replicas, a=0, b=0)
    assert not produce.operation.try_complete()
    replicas.answers["b"] = (True, 0)
    assert produce.operation.try_complete()
    assert produce.answers == [{"a": 0, "b": 0}]


def test_what_is_decided_stays_decided() -> None:
    """An error sticks even if leadership comes back."""
    replicas = Replicas(a=(False, NOT_LEADER_OR_FOLLOWER), b=(False, 0))
    produce = Produce(replicas, a=0, b=0)
    produce.operation.try_complete()
    replicas.answers = {"a": (True, 0), "b": (True, 0)}
    produce.operation.try_complete()
    assert produce.answers == [{"a": NOT_LEADER_OR_FOLLOWER, "b": 0}]
    assert replicas.asked == ["a", "b", "b"]


def test_expiry_marks_each_partition_still_pending() -> None:
    """One mark a partition, in all and by partition; the answer says REQUEST_TIMED_OUT."""
    produce = Produce(Replicas(a=(True, 0), b=(False, 0), c=(False, 0)), a=0, b=0, c=0)
    produce.operation.expirations = meter = ExpirationMeter()
    produce.operation.try_complete()
    produce.operation.run()
    assert produce.answers == [{"a": 0, "b": REQUEST_TIMED_OUT, "c": REQUEST_TIMED_OUT}]
    assert meter.total == 2
    assert meter.by_tag() == {"b": 1, "c": 1}


def test_status_tells_what_it_waits_for() -> None:
    """In a log line or a failing test."""
    assert "required_offset=10" in repr(ProducePartitionStatus(10, 0))

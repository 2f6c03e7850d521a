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
    """Returns the results that the test sets; records the partitions that were checked."""

    def __init__(self, **responses: tuple[bool, int]) -> None:
        self.responses = responses
        self.checked: list[str] = []

    def check_enough_replicas(self, key: str, required_offset: int) -> tuple[bool, int]:
        self.checked.append(key)
        return self.responses[key]


class Produce:
    """A produce to partitions a, b, … with their initial errors."""

    def __init__(self, replicas: Replicas, **errors: int) -> None:
        self.statuses = {key: ProducePartitionStatus(10, error) for key, error in errors.items()}
        self.responses: list[dict[str, int]] = []
        self.operation = DelayedProduce(
            1000,
            self.statuses,
            replicas,
            lambda statuses: self.responses.append({k: s.error for k, s in statuses.items()}),
        )


def test_constructor_presets_the_timeout() -> None:
    """DelayedProduceTest: appended partitions are pending, preset to REQUEST_TIMED_OUT."""
    produce = Produce(Replicas(), a=0, b=MESSAGE_TOO_LARGE)
    assert produce.statuses["a"].acks_pending
    assert produce.statuses["a"].error == REQUEST_TIMED_OUT
    assert not produce.statuses["b"].acks_pending
    assert produce.statuses["b"].error == MESSAGE_TOO_LARGE


def test_enough_replicas_complete() -> None:
    """DelayedProduceTest: case C.1, no error."""
    produce = Produce(Replicas(a=(True, 0)), a=0)
    assert produce.operation.try_complete()
    assert produce.responses == [{"a": 0}]


def test_replicas_that_lag_keep_it_waiting() -> None:
    """DelayedProduceTest: the operation waits for lagging replicas."""
    produce = Produce(Replicas(a=(False, 0)), a=0)
    assert not produce.operation.try_complete()
    assert produce.responses == []
    assert produce.statuses["a"].acks_pending


@pytest.mark.parametrize(
    "response", [(False, NOT_LEADER_OR_FOLLOWER), (True, NOT_ENOUGH_REPLICAS_AFTER_APPEND)]
)
def test_error_completes_with_it(response: tuple[bool, int]) -> None:
    """DelayedProduceTest: cases A, B and C.2."""
    produce = Produce(Replicas(a=response), a=0)
    assert produce.operation.try_complete()
    assert produce.responses == [{"a": response[1]}]


def test_partition_that_failed_to_append_is_not_checked() -> None:
    """DelayedProduceTest: a partition that failed to append keeps its error and is not checked."""
    replicas = Replicas(a=(True, 0))
    produce = Produce(replicas, a=0, b=MESSAGE_TOO_LARGE)
    assert produce.operation.try_complete()
    assert replicas.checked == ["a"]
    assert produce.responses == [{"a": 0, "b": MESSAGE_TOO_LARGE}]


def test_one_pending_partition_holds_all() -> None:
    """DelayedProduceTest: one pending partition delays the whole response."""
    replicas = Replicas(a=(True, 0), b=(False, 0))
    produce = Produce(replicas, a=0, b=0)
    assert not produce.operation.try_complete()
    replicas.responses["b"] = (True, 0)
    assert produce.operation.try_complete()
    assert produce.responses == [{"a": 0, "b": 0}]


def test_what_is_decided_stays_decided() -> None:
    """An error is final even if the partition gets its leader back."""
    replicas = Replicas(a=(False, NOT_LEADER_OR_FOLLOWER), b=(False, 0))
    produce = Produce(replicas, a=0, b=0)
    produce.operation.try_complete()
    replicas.responses = {"a": (True, 0), "b": (True, 0)}
    produce.operation.try_complete()
    assert produce.responses == [{"a": NOT_LEADER_OR_FOLLOWER, "b": 0}]
    assert replicas.checked == ["a", "b", "b"]


def test_expiry_marks_each_partition_still_pending() -> None:
    """An expiry counts in total and by partition; the error is REQUEST_TIMED_OUT."""
    produce = Produce(Replicas(a=(True, 0), b=(False, 0), c=(False, 0)), a=0, b=0, c=0)
    produce.operation.expirations = meter = ExpirationMeter()
    produce.operation.try_complete()
    produce.operation.run()
    assert produce.responses == [{"a": 0, "b": REQUEST_TIMED_OUT, "c": REQUEST_TIMED_OUT}]
    assert meter.total == 2
    assert meter.by_tag() == {"b": 1, "c": 1}


def test_repr_of_a_status_contains_its_fields() -> None:
    """The repr of a status contains its fields."""
    assert "required_offset=10" in repr(ProducePartitionStatus(10, 0))

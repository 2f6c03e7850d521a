"""A deletion of records that waits for its replicas."""

from __future__ import annotations

from purgatories.expiration_meter import ExpirationMeter
from purgatories.operations.delayed_delete_records import (
    DelayedDeleteRecords,
    DeleteRecordsPartitionStatus,
)

REQUEST_TIMED_OUT = 7
NOT_LEADER_OR_FOLLOWER = 6
OFFSET_OUT_OF_RANGE = 1


class Replicas:
    """Low watermarks and errors, as told."""

    def __init__(self, **answers: tuple[int, int]) -> None:
        self.answers = answers

    def low_watermark(self, key: str) -> tuple[int, int]:
        return self.answers[key]


def _delete(replicas: Replicas, **errors: int) -> tuple[DelayedDeleteRecords[str], list[object]]:
    answers: list[object] = []
    statuses = {key: DeleteRecordsPartitionStatus(10, error) for key, error in errors.items()}
    operation = DelayedDeleteRecords(
        1000,
        statuses,
        replicas,
        lambda done: answers.append({k: (s.error, s.low_watermark) for k, s in done.items()}),
    )
    return operation, answers


def test_low_watermark_that_is_high_enough_completes() -> None:
    """The answer bears that watermark."""
    operation, answers = _delete(Replicas(a=(12, 0)), a=0)
    assert operation.try_complete()
    assert answers == [{"a": (0, 12)}]


def test_replica_that_lags_keeps_it_waiting() -> None:
    """One below the offset is too low."""
    operation, answers = _delete(Replicas(a=(9, 0)), a=0)
    assert not operation.try_complete()
    assert answers == []


def test_error_completes_without_a_watermark() -> None:
    """The low watermark of an error is -1."""
    operation, answers = _delete(Replicas(a=(12, NOT_LEADER_OR_FOLLOWER)), a=0)
    assert operation.try_complete()
    assert answers == [{"a": (NOT_LEADER_OR_FOLLOWER, -1)}]


def test_partition_that_failed_at_first_waits_for_nothing() -> None:
    """Its error stands beside the others' answers."""
    operation, answers = _delete(Replicas(a=(10, 0)), a=0, b=OFFSET_OUT_OF_RANGE)
    assert operation.try_complete()
    assert answers == [{"a": (0, 10), "b": (OFFSET_OUT_OF_RANGE, -1)}]


def test_expiry_answers_timed_out_and_marks_by_partitions() -> None:
    """As many marks as partitions are pending."""
    operation, answers = _delete(Replicas(a=(10, 0), b=(0, 0), c=(0, 0)), a=0, b=0, c=0)
    operation.expirations = meter = ExpirationMeter()
    operation.try_complete()
    operation.run()
    timed_out = (REQUEST_TIMED_OUT, -1)
    assert answers == [{"a": (0, 10), "b": timed_out, "c": timed_out}]
    assert meter.total == 2

"""Tests of the delayed DeleteRecords operation."""

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
    """Returns the low watermarks and errors that the test sets."""

    def __init__(self, **responses: tuple[int, int]) -> None:
        self.responses = responses

    def low_watermark(self, key: str) -> tuple[int, int]:
        return self.responses[key]


def _delete(replicas: Replicas, **errors: int) -> tuple[DelayedDeleteRecords[str], list[object]]:
    responses: list[object] = []
    statuses = {key: DeleteRecordsPartitionStatus(10, error) for key, error in errors.items()}
    operation = DelayedDeleteRecords(
        1000,
        statuses,
        replicas,
        lambda done: responses.append({k: (s.error, s.low_watermark) for k, s in done.items()}),
    )
    return operation, responses


def test_low_watermark_that_is_high_enough_completes() -> None:
    """The response contains the low watermark."""
    operation, responses = _delete(Replicas(a=(12, 0)), a=0)
    assert operation.try_complete()
    assert responses == [{"a": (0, 12)}]


def test_replica_that_lags_keeps_it_waiting() -> None:
    """A low watermark one below the required offset does not complete the operation."""
    operation, responses = _delete(Replicas(a=(9, 0)), a=0)
    assert not operation.try_complete()
    assert responses == []


def test_error_completes_without_a_watermark() -> None:
    """A partition with an error has the low watermark -1."""
    operation, responses = _delete(Replicas(a=(12, NOT_LEADER_OR_FOLLOWER)), a=0)
    assert operation.try_complete()
    assert responses == [{"a": (NOT_LEADER_OR_FOLLOWER, -1)}]


def test_partition_that_failed_at_first_waits_for_nothing() -> None:
    """A partition that failed at first keeps its error and is not waited for."""
    operation, responses = _delete(Replicas(a=(10, 0)), a=0, b=OFFSET_OUT_OF_RANGE)
    assert operation.try_complete()
    assert responses == [{"a": (0, 10), "b": (OFFSET_OUT_OF_RANGE, -1)}]


def test_expiry_times_out_and_marks_by_partitions() -> None:
    """An expiry counts once for each pending partition."""
    operation, responses = _delete(Replicas(a=(10, 0), b=(0, 0), c=(0, 0)), a=0, b=0, c=0)
    operation.expirations = meter = ExpirationMeter()
    operation.try_complete()
    operation.run()
    timed_out = (REQUEST_TIMED_OUT, -1)
    assert responses == [{"a": (0, 10), "b": timed_out, "c": timed_out}]
    assert meter.total == 2

"""The result of one partition of a Produce."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from broker.common.errors import ApiError
from broker.replication.partition import Partition
from broker.storage.validation.append import AppendRefused
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

# Errors for which Kafka's response has no log start offset.
_WITHOUT_LOG_START_OFFSET: Final = frozenset(
    {
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.RECORD_LIST_TOO_LARGE,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)


@dataclass(slots=True)
class ProduceResult:
    """The result of one partition of a Produce; -1 where an error leaves a value unknown.

    ``message`` is set only for invalid records and bytes that are no batch; for other errors Kafka
    sends the code alone (``LogAppendResult.errorMessage``).
    """

    error: ErrorCode
    base_offset: int = -1
    log_append_time: int = -1
    log_start_offset: int = -1
    record_errors: Sequence[tuple[int, str | None]] = ()
    message: str | None = None


def refused_result(refusal: AppendRefused | ApiError, partition: Partition | None) -> ProduceResult:
    """The result of an append that was refused; *partition* is None if the node has none."""
    if isinstance(refusal, AppendRefused):
        error, record_errors = refusal.error, refusal.record_errors
        message = refusal.message if record_errors else None
        has_start = error not in _WITHOUT_LOG_START_OFFSET
    else:
        error, record_errors, message = refusal.code, (), None
        has_start = error is ErrorCode.NOT_ENOUGH_REPLICAS
    start = partition.log.log_start_offset if has_start and partition is not None else -1
    return ProduceResult(
        error, log_start_offset=start, record_errors=record_errors, message=message
    )

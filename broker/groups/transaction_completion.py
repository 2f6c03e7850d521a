"""Ends transactions in the partitions of ``__consumer_offsets`` (Kafka's ``completeTransaction``).

The marker is appended to the partition, and the pending offsets of the producer id in the groups of
the partition are committed or dropped. The response is sent when the marker is replicated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.common.errors import ApiError
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.group_offsets import OffsetTable
from protocol.errors import ErrorCode
from protocol.record_batch.control import EndTxnMarker

# The transaction coordinator looks up the leader again after these errors.
_AS_LEADER_ERROR = {
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.NOT_COORDINATOR: ErrorCode.NOT_LEADER_OR_FOLLOWER,
}


def complete_transaction(
    runtime: CoordinatorRuntime,
    offsets: OffsetTable,
    partition: int,
    producer_id: int,
    producer_epoch: int,
    marker: EndTxnMarker,
    transaction_version: int,
    on_response: Callable[[ErrorCode], None],
) -> None:
    """Append *marker* to *partition* and apply it; *on_response* is called once, now or later.

    Its errors are the log's, NOT_LEADER_OR_FOLLOWER if the node does not coordinate the partition
    or has not loaded it, and REQUEST_TIMED_OUT after ``offsets.commit.timeout.ms``: then the marker
    may be replicated later, and stays in effect.
    """
    try:
        runtime.append_marker(partition, producer_id, producer_epoch, marker, transaction_version)
    except ApiError as error:
        on_response(_AS_LEADER_ERROR.get(error.code, error.code))
        return
    group_ids = [
        group_id
        for group_id in offsets.written.groups_of(producer_id)
        if runtime.partition_for(group_id) == partition
    ]
    is_commit = not marker.is_abort
    offsets.written.end_transaction(producer_id, group_ids, is_commit=is_commit)
    if group_ids:
        replicate = partial(
            offsets.replicated.end_transaction, producer_id, group_ids, is_commit=is_commit
        )
        runtime.once_replicated(group_ids[0], replicate)
    runtime.when_partition_replicated(partition, partial(_respond, on_response))


def _respond(on_response: Callable[[ErrorCode], None], error: ErrorCode) -> None:
    if error is ErrorCode.COORDINATOR_NOT_AVAILABLE:
        on_response(ErrorCode.REQUEST_TIMED_OUT)
    else:
        on_response(_AS_LEADER_ERROR.get(error, error))

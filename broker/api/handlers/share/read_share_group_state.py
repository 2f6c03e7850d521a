"""ReadShareGroupState: a partition leader reads the states of its share partitions (KIP-932).

Behaviour: see `broker.api.handlers.share.share_state_results`. A leader epoch that is higher than
before is written first; a lower one is FENCED_LEADER_EPOCH.

Versions: only 0.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.api.handlers.share.share_state_results import ResponseParts, share_states
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.share.persister import ReadResult
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.share_partition_state import to_records
from broker.steps.queue import Slices
from protocol.messages.read_share_group_state import (
    PartitionData,
    PartitionResult,
    ReadShareGroupStateRequest,
    ReadShareGroupStateResponse,
    ReadStateResult,
)


def read_share_group_state(
    request: Request[ReadShareGroupStateRequest],
) -> ReadShareGroupStateResponse | Outcome | Slices[ReadShareGroupStateResponse | Outcome]:
    """Read the state of each share partition."""
    coordinator = request.services.share_coordinator

    def call(
        key: SharePartitionKey, part: PartitionData, done: Callable[[ReadResult], None]
    ) -> None:
        coordinator.read(key, part.leader_epoch, done)

    return share_states(request, call, _PARTS)


def _partition(partition: int, result: ReadResult) -> PartitionResult:
    return PartitionResult(
        partition=partition,
        error_code=result.error,
        error_message=result.message,
        state_epoch=result.state_epoch,
        start_offset=0 if result.error else result.start_offset,
        state_batches=to_records(result.batches),
    )


_PARTS = ResponseParts(ReadShareGroupStateResponse, ReadStateResult, _partition)

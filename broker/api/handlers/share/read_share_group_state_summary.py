"""ReadShareGroupStateSummary: the group coordinator reads start offsets (KIP-932).

Behaviour: see `broker.api.handlers.share.share_state_results`. A share partition without a state
has start offset -1.

Versions: 1 the number of completed deliveries (KIP-1226).
"""

from __future__ import annotations

from collections.abc import Callable

from broker.api.handlers.share.share_state_results import ResponseParts, share_states
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.share.persister import SummaryResult
from broker.share.share_partition_key import SharePartitionKey
from broker.steps.queue import Slices
from protocol.messages.read_share_group_state_summary import (
    PartitionData,
    PartitionResult,
    ReadShareGroupStateSummaryRequest,
    ReadShareGroupStateSummaryResponse,
    ReadStateSummaryResult,
)


def read_share_group_state_summary(
    request: Request[ReadShareGroupStateSummaryRequest],
) -> (
    ReadShareGroupStateSummaryResponse
    | Outcome
    | Slices[ReadShareGroupStateSummaryResponse | Outcome]
):
    """Read the start offset and the epochs of each share partition."""
    coordinator = request.services.share_coordinator

    def call(
        key: SharePartitionKey, part: PartitionData, done: Callable[[SummaryResult], None]
    ) -> None:
        coordinator.read_summary(key, part.leader_epoch, done)

    return share_states(request, call, _PARTS)


def _partition(partition: int, result: SummaryResult) -> PartitionResult:
    return PartitionResult(
        partition=partition,
        error_code=result.error,
        error_message=result.message,
        state_epoch=result.state_epoch,
        leader_epoch=result.leader_epoch,
        start_offset=0 if result.error else result.start_offset,
        delivery_complete_count=result.delivery_complete_count,
    )


_PARTS = ResponseParts(ReadShareGroupStateSummaryResponse, ReadStateSummaryResult, _partition)

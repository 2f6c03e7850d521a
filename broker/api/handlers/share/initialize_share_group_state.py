"""InitializeShareGroupState: the group coordinator creates or resets states (KIP-932).

Behaviour: see `broker.api.handlers.share.share_state_results`. A state epoch that is lower than one
before is FENCED_STATE_EPOCH; -1 is not compared.

Versions: only 0.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.api.handlers.share.share_state_results import ResponseParts, outcomes, share_states
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.share.persister import PersisterResult
from broker.share.share_partition_key import SharePartitionKey
from broker.steps.queue import Slices
from protocol.messages.initialize_share_group_state import (
    InitializeShareGroupStateRequest,
    InitializeShareGroupStateResponse,
    InitializeStateResult,
    PartitionData,
    PartitionResult,
)


def initialize_share_group_state(
    request: Request[InitializeShareGroupStateRequest],
) -> (
    InitializeShareGroupStateResponse
    | Outcome
    | Slices[InitializeShareGroupStateResponse | Outcome]
):
    """Create or reset the state of each share partition."""
    coordinator = request.services.share_coordinator

    def call(
        key: SharePartitionKey, part: PartitionData, done: Callable[[PersisterResult], None]
    ) -> None:
        coordinator.initialize(key, part.state_epoch, part.start_offset, done)

    return share_states(request, call, _PARTS, needs_partitions=False)


_PARTS = ResponseParts(
    InitializeShareGroupStateResponse, InitializeStateResult, outcomes(PartitionResult)
)

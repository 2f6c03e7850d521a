"""DeleteShareGroupState: the group coordinator deletes states (KIP-932).

Behaviour: see `broker.api.handlers.share.share_state_results`. A state that does not exist is
deleted without an error.

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
from protocol.messages.delete_share_group_state import (
    DeleteShareGroupStateRequest,
    DeleteShareGroupStateResponse,
    DeleteStateResult,
    PartitionData,
    PartitionResult,
)


def delete_share_group_state(
    request: Request[DeleteShareGroupStateRequest],
) -> DeleteShareGroupStateResponse | Outcome | Slices[DeleteShareGroupStateResponse | Outcome]:
    """Delete the state of each share partition."""
    coordinator = request.services.share_coordinator

    def call(
        key: SharePartitionKey, _part: PartitionData, done: Callable[[PersisterResult], None]
    ) -> None:
        coordinator.delete(key, done)

    return share_states(request, call, _PARTS)


_PARTS = ResponseParts(DeleteShareGroupStateResponse, DeleteStateResult, outcomes(PartitionResult))

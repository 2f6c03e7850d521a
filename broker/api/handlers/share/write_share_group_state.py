"""WriteShareGroupState: a partition leader stores changes of states (KIP-932).

Behaviour: see `broker.api.handlers.share.share_state_results`. Lower epochs than the stored ones
are FENCED_LEADER_EPOCH and FENCED_STATE_EPOCH; as in Kafka, delivery states are not checked.

Versions: 1 the number of completed deliveries (KIP-1226).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from broker.api.handlers.share.share_state_results import ResponseParts, outcomes, share_states
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.share.persister import PersisterResult, StateWrite
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.share_partition_state import from_records
from broker.steps.queue import Slices
from protocol.messages.write_share_group_state import (
    PartitionData,
    PartitionResult,
    WriteShareGroupStateRequest,
    WriteShareGroupStateResponse,
    WriteStateResult,
)


def write_share_group_state(
    request: Request[WriteShareGroupStateRequest],
) -> WriteShareGroupStateResponse | Outcome | Slices[WriteShareGroupStateResponse | Outcome]:
    """Store the change of each share partition."""
    coordinator = request.services.share_coordinator

    def call(
        key: SharePartitionKey, part: PartitionData, done: Callable[[PersisterResult], None]
    ) -> None:
        change = StateWrite(
            state_epoch=part.state_epoch,
            leader_epoch=part.leader_epoch,
            start_offset=part.start_offset,
            delivery_complete_count=part.delivery_complete_count,
            batches=from_records(part.state_batches),
        )
        coordinator.write(key, change, done)

    return share_states(request, call, _PARTS)


_PARTS: Final = ResponseParts(
    WriteShareGroupStateResponse, WriteStateResult, outcomes(PartitionResult)
)

"""Joins the writes about a share partition that wait for an earlier call into one.

Each member that acknowledges causes a write. While one is in progress, those of other members wait.
One record with all their batches has the same effect as a record of each: where batches overlap,
the same one applies (`broker.share_coordinator.state_batches`), and the start offset and the number
of completed deliveries are those of the last write. So a write takes the same time for one member
as for several. Kafka sends such writes in one request too, and appends a record for each.
"""

from __future__ import annotations

from collections import deque

from broker.share.persister import StateWrite
from broker.share_coordinator.persister_calls import CALLS_PER_REQUEST_MAX, WRITE, Call


def next_call(waiting: deque[Call]) -> Call:
    """Remove the first call of *waiting*, and the writes after it that can be joined with it."""
    first = waiting.popleft()
    if first.kind is not WRITE or not waiting:
        return first
    calls, batches = [first], list(first.arguments.batches)
    while waiting and len(calls) < CALLS_PER_REQUEST_MAX and _can_follow(waiting[0], calls[-1]):
        calls.append(waiting.popleft())
        batches += calls[-1].arguments.batches
    last: StateWrite = calls[-1].arguments
    change = StateWrite(
        state_epoch=last.state_epoch,
        leader_epoch=last.leader_epoch,
        start_offset=last.start_offset,
        delivery_complete_count=last.delivery_complete_count,
        batches=tuple(batches),
    )
    return Call(WRITE, first.key, change, [each for call in calls for each in call.callbacks])


def _can_follow(call: Call, before: Call) -> bool:
    """Whether a call is a write of the same leader, whose start offset has not moved back."""
    if call.kind is not WRITE:
        return False
    change: StateWrite = call.arguments
    earlier: StateWrite = before.arguments
    return (
        change.state_epoch == earlier.state_epoch
        and change.leader_epoch == earlier.leader_epoch
        and change.start_offset >= earlier.start_offset
    )

"""Writes that are joined: which ones, and that the stored state is that of single writes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.share.persister import PersisterStateBatch, StateWrite
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.joined_writes import next_call
from broker.share_coordinator.persister_calls import CALLS_PER_REQUEST_MAX, READ, WRITE, Call
from broker.share_coordinator.share_partition_state import (
    SharePartitionState,
    initialized,
    update_record,
)

KEY = SharePartitionKey("g", UUID(int=1), 0)
CHANGE = StateWrite(
    state_epoch=1, leader_epoch=2, start_offset=3, batches=(PersisterStateBatch(3, 5, 2, 1),)
)


def ignore(_: object) -> None:
    """A callback."""


def written(change: StateWrite) -> Call:
    """A write."""
    return Call(WRITE, KEY, change, (ignore,))


def joined(*calls: Call) -> list[Call]:
    """What becomes of calls that wait."""
    waiting, found = deque(calls), []
    while waiting:
        found.append(next_call(waiting))
    return found


def test_writes_of_one_leader_are_joined() -> None:
    """The joined write has all batches, and the offset and the count of the last one."""
    batch = PersisterStateBatch(6, 9, 2, 1)
    last = replace(CHANGE, start_offset=6, delivery_complete_count=4, batches=(batch,))
    (call,) = joined(written(CHANGE), written(last))
    assert call.arguments == replace(last, batches=(*CHANGE.batches, batch))
    assert call.callbacks == [ignore, ignore]


@pytest.mark.parametrize(
    "other",
    [
        written(replace(CHANGE, leader_epoch=3)),
        written(replace(CHANGE, state_epoch=2)),
        written(replace(CHANGE, start_offset=2)),
        Call(READ, KEY, 2, (ignore,)),
    ],
    ids=["leader epoch", "state epoch", "start offset", "read"],
)
def test_other_calls_are_not_joined(other: Call) -> None:
    """Another leader or state epoch may be fenced, and a lower start offset would be lost."""
    calls = [written(CHANGE), other]
    assert [each.arguments for each in joined(*calls)] == [each.arguments for each in calls]


def test_a_joined_write_is_limited() -> None:
    """A request is encoded in one step, so it has a limited number of writes."""
    calls = joined(*(written(CHANGE) for _ in range(CALLS_PER_REQUEST_MAX + 1)))
    assert [len(each.callbacks) for each in calls] == [CALLS_PER_REQUEST_MAX, 1]


BATCHES = st.builds(
    lambda first, count, state, deliveries: PersisterStateBatch(
        first, first + count, state, deliveries
    ),
    st.integers(0, 20),
    st.integers(0, 5),
    st.sampled_from([0, 2, 4]),
    st.integers(1, 3),
)
STARTS_AND_BATCHES = st.lists(
    st.tuples(st.integers(0, 20), st.lists(BATCHES, max_size=3)), min_size=1, max_size=5
)


@given(STARTS_AND_BATCHES)
def test_a_joined_write_has_the_effect_of_its_writes(
    drawn: Sequence[tuple[int, Sequence[PersisterStateBatch]]],
) -> None:
    """Whatever the batches are; start offsets do not move back."""
    starts = sorted(start for start, _ in drawn)
    changes = [
        replace(CHANGE, start_offset=start, delivery_complete_count=index, batches=tuple(batches))
        for index, (start, (_, batches)) in enumerate(zip(starts, drawn, strict=True))
    ]
    (call,) = joined(*map(written, changes))
    once, one_by_one = stored([call.arguments]), stored(changes)
    assert replace(once, update_count=0) == replace(one_by_one, update_count=0)


def stored(changes: Sequence[StateWrite]) -> SharePartitionState:
    """The state after some updates."""
    state = initialized(None, 1, 0, 0)
    for change in changes:
        state = state.updated(update_record(KEY, 0, change).value)
    return state

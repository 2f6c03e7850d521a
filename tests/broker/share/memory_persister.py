"""A persister that keeps the states of share partitions in memory and responds on request.

It merges batches offset by offset, so it is an independent statement of what is read after writes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

from broker.share.persister import (
    UNINITIALIZED_START_OFFSET,
    UNKNOWN_COUNT,
    PersisterResult,
    PersisterStateBatch,
    ReadResult,
    StateWrite,
    SummaryResult,
)
from broker.share.share_partition_key import SharePartitionKey
from protocol.errors import ErrorCode

FENCED_STATE = PersisterResult(error=ErrorCode.FENCED_STATE_EPOCH)
FENCED_LEADER = PersisterResult(error=ErrorCode.FENCED_LEADER_EPOCH)
UNINITIALIZED = PersisterResult(error=ErrorCode.INVALID_REQUEST)


@dataclass(slots=True)
class _State:
    state_epoch: int
    start_offset: int
    leader_epoch: int = 0
    complete: int = UNKNOWN_COUNT
    offsets: dict[int, tuple[int, int]] = field(default_factory=dict)  # delivery state, count


class MemoryPersister:
    """Responds at once while ``is_immediate``, otherwise in `respond`."""

    def __init__(self, *, is_immediate: bool = True) -> None:
        self.is_immediate = is_immediate
        self.states: dict[SharePartitionKey, _State] = {}
        self._responses: deque[Callable[[], None]] = deque()

    def respond(self) -> None:
        """Call back all callers that wait, in their order."""
        while self._responses:
            self._responses.popleft()()

    def _then(self, call: Callable[[], None]) -> None:
        self._responses.append(call)
        if self.is_immediate:
            self.respond()

    def initialize(
        self,
        key: SharePartitionKey,
        state_epoch: int,
        start_offset: int,
        done: Callable[[PersisterResult], None],
    ) -> None:
        """See `Persister`."""
        before = self.states.get(key)
        result = PersisterResult()
        if before is not None and state_epoch < before.state_epoch:
            result = FENCED_STATE
        else:
            self.states[key] = _State(state_epoch, start_offset)
        self._then(partial(done, result))

    def read(
        self, key: SharePartitionKey, leader_epoch: int, done: Callable[[ReadResult], None]
    ) -> None:
        """See `Persister`."""
        state = self.states.get(key)
        if state is None:
            result = ReadResult(error=ErrorCode.INVALID_REQUEST)
        elif leader_epoch < state.leader_epoch:
            result = ReadResult(error=ErrorCode.FENCED_LEADER_EPOCH)
        else:
            state.leader_epoch = leader_epoch
            result = ReadResult(
                state_epoch=state.state_epoch,
                start_offset=state.start_offset,
                batches=_batches(state.offsets),
            )
        self._then(partial(done, result))

    def write(
        self, key: SharePartitionKey, change: StateWrite, done: Callable[[PersisterResult], None]
    ) -> None:
        """See `Persister`."""
        self._then(partial(done, self._write(self.states.get(key), change)))

    def _write(self, state: _State | None, change: StateWrite) -> PersisterResult:
        if state is None:
            return UNINITIALIZED
        if change.leader_epoch < state.leader_epoch:
            return FENCED_LEADER
        if change.state_epoch < state.state_epoch:
            return FENCED_STATE
        state.leader_epoch, state.complete = change.leader_epoch, change.delivery_complete_count
        if change.start_offset != UNINITIALIZED_START_OFFSET:
            state.start_offset = change.start_offset
        for batch in change.batches:
            new = (batch.delivery_count, batch.delivery_state)
            for offset in range(batch.first_offset, batch.last_offset + 1):
                state.offsets[offset] = max(new, state.offsets.get(offset, new))
        for offset in [each for each in state.offsets if each < state.start_offset]:
            del state.offsets[offset]
        return PersisterResult()

    def delete(self, key: SharePartitionKey, done: Callable[[PersisterResult], None]) -> None:
        """See `Persister`."""
        self.states.pop(key, None)
        self._then(partial(done, PersisterResult()))

    def read_summary(
        self, key: SharePartitionKey, leader_epoch: int, done: Callable[[SummaryResult], None]
    ) -> None:
        """See `Persister`."""
        state = self.states.get(key)
        result = SummaryResult()
        if state is not None:
            result = SummaryResult(
                state_epoch=state.state_epoch,
                leader_epoch=state.leader_epoch,
                start_offset=state.start_offset,
                delivery_complete_count=state.complete,
            )
        self._then(partial(done, result))


def _batches(offsets: dict[int, tuple[int, int]]) -> list[PersisterStateBatch]:
    """Runs of consecutive offsets with the same state and count."""
    ordered = sorted(offsets.items())
    runs = groupby(enumerate(ordered), lambda item: (item[1][0] - item[0], item[1][1]))
    batches = []
    for (_, (count, state)), run in runs:
        members = [offset for _, (offset, _) in run]
        batches.append(PersisterStateBatch(members[0], members[-1], state, count))
    return batches

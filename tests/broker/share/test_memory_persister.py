"""The persister of tests keeps the promises of `Persister`."""

from __future__ import annotations

from uuid import UUID

from broker.share.persister import (
    Persister,
    PersisterResult,
    PersisterStateBatch,
    ReadResult,
    StateWrite,
)
from broker.share.share_partition_key import SharePartitionKey
from protocol.errors import ErrorCode
from tests.broker.share.memory_persister import MemoryPersister

KEY = SharePartitionKey("g", UUID(int=1), 0)


def read(persister: Persister, leader_epoch: int = 0) -> ReadResult:
    """The state of the share partition."""
    results: list[ReadResult] = []
    persister.read(KEY, leader_epoch, results.append)
    return results[0]


def write(persister: Persister, change: StateWrite) -> ErrorCode:
    """Write a change; returns its error."""
    results: list[PersisterResult] = []
    persister.write(KEY, change, results.append)
    return results[0].error


def test_changes_are_merged() -> None:
    """The higher delivery count wins, and offsets below the start offset are dropped."""
    persister = MemoryPersister()
    persister.initialize(KEY, 2, -1, lambda _: None)
    batches = (PersisterStateBatch(5, 9, 0, 1), PersisterStateBatch(10, 14, 2, 1))
    first = StateWrite(state_epoch=2, leader_epoch=0, start_offset=5, batches=batches)
    later = StateWrite(
        state_epoch=2,
        leader_epoch=0,
        start_offset=6,
        batches=(PersisterStateBatch(7, 11, 2, 2),),
    )

    assert write(persister, first) == write(persister, later) == ErrorCode.NONE
    assert read(persister) == ReadResult(
        state_epoch=2,
        start_offset=6,
        batches=[
            PersisterStateBatch(6, 6, 0, 1),
            PersisterStateBatch(7, 11, 2, 2),
            PersisterStateBatch(12, 14, 2, 1),
        ],
    )


def test_old_epochs_are_fenced() -> None:
    """A later leader, and a later state, fence those before."""
    persister = MemoryPersister()
    persister.initialize(KEY, 2, -1, lambda _: None)
    read(persister, leader_epoch=3)

    old_leader = StateWrite(state_epoch=2, leader_epoch=2, start_offset=-1)
    old_state = StateWrite(state_epoch=1, leader_epoch=3, start_offset=-1)
    assert write(persister, old_leader) is ErrorCode.FENCED_LEADER_EPOCH
    assert write(persister, old_state) is ErrorCode.FENCED_STATE_EPOCH
    assert read(persister, leader_epoch=2).error is ErrorCode.FENCED_LEADER_EPOCH


def test_a_response_can_be_delayed() -> None:
    """A caller that is not called back at once is called back by `respond`."""
    persister = MemoryPersister(is_immediate=False)
    results: list[PersisterResult] = []

    persister.initialize(KEY, 2, -1, results.append)

    assert results == []
    persister.respond()
    assert results == [PersisterResult()]

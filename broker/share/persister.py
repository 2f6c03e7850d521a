"""What stores the state of share partitions for their leaders (Kafka's ``Persister``, KIP-932).

A leader reads the state of a share partition once, and writes each change that must survive it.
The group coordinator initializes, summarizes and deletes states. Each call is about one share
partition; an implementation may send several in one request. *done* is called once, before the
call returns or later. Calls about the same share partition take effect in the order in which they
are made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Final, Protocol

from broker.share.share_partition_key import SharePartitionKey
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

# The start offset of a share partition that has not been read yet: `share.auto.offset.reset` of the
# group determines where it begins.
UNINITIALIZED_START_OFFSET: Final = -1

# The number of completed deliveries is unknown (KIP-1226).
UNKNOWN_COUNT: Final = -1


@dataclass(frozen=True, slots=True)
class PersisterStateBatch:
    """Consecutive offsets with the same state; both ends are included.

    ``delivery_state`` is 0 (available), 2 (acknowledged) or 4 (archived).
    """

    first_offset: int
    last_offset: int
    delivery_state: int
    delivery_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StateWrite:
    """A change of the state of a share partition.

    ``batches`` are those that have changed; a start offset of -1 keeps the stored one.
    ``delivery_complete_count`` is the number of offsets from the start offset on whose delivery is
    complete.
    """

    state_epoch: int
    leader_epoch: int
    start_offset: int
    delivery_complete_count: int = UNKNOWN_COUNT
    batches: tuple[PersisterStateBatch, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PersisterResult:
    """The result of a call; ``error`` is that of the share coordinator.

    COORDINATOR_NOT_AVAILABLE, COORDINATOR_LOAD_IN_PROGRESS or NOT_COORDINATOR: no share
    coordinator could be reached within the persister's retries.
    """

    error: ErrorCode = ErrorCode.NONE
    message: str | None = None


# The result of a write that succeeded.
SUCCEEDED: Final = PersisterResult()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult(PersisterResult):
    """The state of a share partition, with batches in the order of their offsets."""

    state_epoch: int = 0
    start_offset: int = UNINITIALIZED_START_OFFSET
    batches: list[PersisterStateBatch] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryResult(PersisterResult):
    """The state of a share partition without its batches."""

    state_epoch: int = 0
    leader_epoch: int = 0
    start_offset: int = UNINITIALIZED_START_OFFSET
    delivery_complete_count: int = UNKNOWN_COUNT


class Persister(Protocol):
    """The store of the states of share partitions."""

    def initialize(
        self,
        key: SharePartitionKey,
        state_epoch: int,
        start_offset: int,
        done: Callable[[PersisterResult], None],
    ) -> None:
        """Create the state, or replace it by an empty one that begins at *start_offset*.

        FENCED_STATE_EPOCH if *state_epoch* is lower than one before; -1 is not compared.
        """
        ...

    def read(
        self, key: SharePartitionKey, leader_epoch: int, done: Callable[[ReadResult], None]
    ) -> None:
        """Read the state for the leader in *leader_epoch*, which fences earlier leaders.

        INVALID_REQUEST if it was never initialized; FENCED_LEADER_EPOCH if a later leader has read
        it.
        """
        ...

    def write(
        self, key: SharePartitionKey, change: StateWrite, done: Callable[[PersisterResult], None]
    ) -> None:
        """Store a change.

        INVALID_REQUEST if the state was never initialized; FENCED_LEADER_EPOCH or
        FENCED_STATE_EPOCH if an epoch is lower than the stored one.
        """
        ...

    def delete(self, key: SharePartitionKey, done: Callable[[PersisterResult], None]) -> None:
        """Delete the state; one that does not exist is deleted already."""
        ...

    def read_summary(
        self, key: SharePartitionKey, leader_epoch: int, done: Callable[[SummaryResult], None]
    ) -> None:
        """Read start offset and epochs; a state that was never initialized has start offset -1."""
        ...

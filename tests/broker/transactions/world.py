"""A transaction coordinator in virtual time, with logs in memory and markers that a test writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.coordinators.coordinator_record import RawRecord
from broker.steps.queue import StepQueue
from broker.transactions.coordinator import TransactionCoordinator
from broker.transactions.marker_sender import PendingMarkers
from broker.transactions.metadata import TransactionMetadata, TransactionValue
from broker.transactions.producer_ids import ProducerIdManager
from broker.transactions.requests import (
    EndTxn,
    EndTxnResult,
    InitProducerId,
    InitProducerIdResult,
    ProducerIdAndEpoch,
)
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.broker.coordinators.kept_log import KeptLog
from tests.broker.groups.virtual_world import ManualClock
from tests.finished_slices import finish_slices

ID = "id"
TIMEOUT_MS = 1000
A, B = TopicPartition("a", 0), TopicPartition("b", 0)
PARTITIONS = 2


@dataclass
class MarkersToWrite:
    """A sender that keeps the markers; ``removed`` are the unloaded partitions."""

    pending: list[PendingMarkers] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)

    def add_markers(self, pending: PendingMarkers) -> None:
        self.pending.append(pending)

    def remove_partition(self, state_partition: int) -> None:
        self.removed.append(state_partition)


@dataclass
class Blocks:
    """A controller that allocates blocks at once, fails, or does not respond (None)."""

    next_id: int = 0
    size: int = 1000
    error: ApiError | None = None
    is_silent: bool = False
    requests: int = 0
    respond: Callable[[], None] = lambda: None

    def allocate_producer_ids(self, on_response: Callable[[range | ApiError], None]) -> None:
        self.requests += 1
        self.respond = partial(self._respond, on_response)
        if not self.is_silent:
            self.respond()

    def _respond(self, on_response: Callable[[range | ApiError], None]) -> None:
        if self.error is not None:
            on_response(self.error)
            return
        first, self.next_id = self.next_id, self.next_id + self.size
        on_response(range(first, self.next_id))


class World:
    """A coordinator that leads both partitions of its topic; ``version`` is the feature's level.

    The methods that send a request return the list of its responses.
    """

    def __init__(self, version: int = 2) -> None:
        self.version = version
        self.config = Config(transaction_state_log_num_partitions=PARTITIONS)
        self.clock = ManualClock()
        self.blocks = Blocks()
        self.markers = MarkersToWrite()
        self.steps = StepQueue(self.clock.now_ms)
        self.timer = SystemTimer("node", now_ms=self.clock.now_ms)
        self.actions = ActionQueue()
        self.logs = [
            KeptLog(partial(self._on_high_watermark, index), self.actions.add)
            for index in range(PARTITIONS)
        ]
        self._create()

    def _create(self) -> None:
        self.coordinator = TransactionCoordinator(
            self.config,
            self.clock,
            self.timer,
            self.actions,
            self.steps,
            ProducerIdManager(self.blocks, self.timer),
            self.markers,
            lambda: self.version,
        )
        for index, log in enumerate(self.logs):
            self.coordinator.runtime.on_election(index, log)

    def _on_high_watermark(self, index: int) -> None:
        self.coordinator.runtime.on_high_watermark(index)

    # ------------------------------------------------------------------------------ requests

    def init(
        self,
        own: tuple[int, int] | None = None,
        transactional_id: str = ID,
        timeout_ms: int = TIMEOUT_MS,
    ) -> list[InitProducerIdResult]:
        """Send InitProducerId, with the producer's *own* identity if it has one."""
        responses: list[InitProducerIdResult] = []
        expected = None if own is None else ProducerIdAndEpoch(*own)
        request = InitProducerId(
            transactional_id=transactional_id, timeout_ms=timeout_ms, expected=expected
        )
        self.coordinator.init_producer_id(request, responses.append)
        self.actions.try_complete_actions()
        return responses

    def add(
        self,
        producer: tuple[int, int] = (0, 0),
        *partitions: TopicPartition,
        client_version: int = 2,
        transactional_id: str = ID,
    ) -> list[ErrorCode]:
        """Send AddPartitionsToTxn, by default for partition a-0."""
        responses: list[ErrorCode] = []
        self.coordinator.add_partitions(
            transactional_id, *producer, partitions or (A,), client_version, responses.append
        )
        self.actions.try_complete_actions()
        return responses

    def verify(
        self, producer: tuple[int, int] = (0, 0), *partitions: TopicPartition
    ) -> dict[TopicPartition, ErrorCode]:
        """Check whether the transaction has partitions, by default a-0."""
        return self.coordinator.verify_partitions(ID, *producer, partitions or (A,))

    def end(
        self,
        producer: tuple[int, int] = (0, 0),
        *,
        commit: bool = True,
        client_version: int = 2,
        transactional_id: str = ID,
    ) -> list[EndTxnResult]:
        """Send EndTxn."""
        responses: list[EndTxnResult] = []
        request = EndTxn(
            transactional_id=transactional_id,
            producer_id=producer[0],
            producer_epoch=producer[1],
            commit=commit,
            client_version=client_version,
        )
        self.coordinator.end_txn(request, responses.append)
        self.actions.try_complete_actions()
        return responses

    # --------------------------------------------------------------------------------- state

    @property
    def entry(self) -> TransactionMetadata:
        """The state of the id."""
        return self.coordinator.metadata_of(ID)

    @property
    def value(self) -> TransactionValue:
        """The replicated value of the id."""
        return self.entry.value

    def put(self, value: TransactionValue) -> TransactionMetadata:
        """Let the id have *value*, as if its record had been replicated."""
        return self.coordinator.states.add(ID, value)

    @property
    def log(self) -> KeptLog:
        """The partition of the id."""
        return self.logs[self.coordinator.runtime.partition_for(ID)]

    def run_short_slices(self) -> None:
        """Let each slice have two pieces from now on; the others run in `finish_slices`."""
        self.steps.now_ms = count().__next__

    def finish_slices(self) -> None:
        """Run the slices that are left."""
        finish_slices(self.steps)

    def write_markers(self) -> None:
        """Write all markers that are to be sent."""
        pending, self.markers.pending = self.markers.pending, []
        for each in pending:
            for key in each.partitions:
                self.coordinator.marker_written(each.transactional_id, each.coordinator_epoch, key)

    def reload(self) -> None:
        """Resign, and lead the partitions again in the next epoch."""
        for index, log in enumerate(self.logs):
            self.coordinator.runtime.on_resignation(index)
            log.leader_epoch += 1
            self.coordinator.runtime.on_election(index, log)

    def wait(self, duration_ms: float) -> None:
        """Let time pass."""
        until_ms = self.clock.time_ms + duration_ms
        while self.timer.next_expiration_ms <= until_ms:
            self.clock.time_ms = max(self.clock.time_ms, self.timer.next_expiration_ms)
            self.timer.advance_clock(0)
        self.clock.time_ms = until_ms


def begin(world: World, version: int = 2) -> None:
    """Begin a transaction of producer id 0 and epoch 0 with partition a-0."""
    assert world.init() == [(ErrorCode.NONE, 0, 0)]
    assert world.add(client_version=version) == [ErrorCode.NONE]


def states_in_log(world: World) -> list[str]:
    """The states of the records of the id."""
    state = world.coordinator.states.new_state()
    names = []
    for record in world.log.records:
        assert isinstance(record, RawRecord)
        state.load(record, 0)
        loaded = state.entries.get(ID)
        names.append("tombstone" if loaded is None else loaded.value.state.label)
    return names

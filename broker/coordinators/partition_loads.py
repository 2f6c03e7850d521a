"""Loads and unloads the partitions of a coordinator, in slices (Kafka's ``scheduleLoadOperation``).

    begin --> read the log --> adopt --> on_loaded --> on_replicated
              `- requests are refused -'               `- when the loaded records are replicated

    end --> on_unloaded --> what waits for replication is refused

Other tasks run between two slices. A load ends with the leadership of the node, and that which
follows an unload of the same partition adopts nothing before the unload has ended.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any, Final, Protocol

from broker.common.errors import ApiError
from broker.coordinators.acting_slices import Run, acting, run_without_cause
from broker.coordinators.coordinator_loader import CoordinatorLoader, CoordinatorPlayback
from broker.coordinators.coordinator_log import CoordinatorLog
from broker.coordinators.coordinator_record import InconsistentRecord
from broker.coordinators.led_partition import LedPartition
from broker.steps.queue import Job, Signal, Slices, StepQueue
from protocol.codec import Malformed
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.coordinators")

# What the content of a log may cause; other exceptions are bugs and are logged with a traceback.
_UNREADABLE: Final = (ApiError, CorruptRecords, InconsistentRecord, Malformed)


class Coordinator(Protocol):
    """A coordinator that a runtime runs (the part of Kafka's ``CoordinatorShard`` used here)."""

    def new_state(self) -> CoordinatorPlayback:
        """Return an empty state, into which a partition is replayed."""
        ...

    def adopt(self, partition: int, state: Any) -> Slices[None]:
        """Take over the keys of *state*, which a partition was replayed into.

        Keys of other partitions, from a time when the topic had fewer, are left out. Requests about
        them are refused until `on_loaded`. If the node resigns before that, the rest
        of the slices does not run.
        """
        ...

    def on_loaded(self, partition: int, state: Any) -> None:
        """Begin to coordinate the keys of *state*."""
        ...

    def on_replicated(self, partition: int, state: Any) -> Slices[None]:
        """Note that all records that add up to *state* are replicated.

        It runs before `on_loaded` if they are when they have been read. What waits for the
        replication of later records continues after it.
        """
        ...

    def on_unloaded(self, partition: int) -> Slices[None]:
        """Drop the state of all keys of a partition, and end what waits on it.

        All requests about them are refused already. The partition is not adopted again before the
        end of the slices.
        """
        ...


class LoadedPartitions(Protocol):
    """The partitions whose requests are accepted."""

    def loaded(self, partition: int, led: LedPartition) -> None:
        """Accept requests from now on."""
        ...

    def on_resignation(self, partition: int) -> None:
        """Unload a partition whose load has failed."""
        ...

    def on_high_watermark(self, partition: int) -> None:
        """Complete the events that wait for offsets below the high watermark."""
        ...


class PartitionLoads:
    """The loads and unloads of a topic; the other parameters are those of `CoordinatorRuntime`."""

    def __init__(
        self,
        topic_name: str,
        coordinator: Coordinator,
        runtime: LoadedPartitions,
        timer: SystemTimer,
        actions: ActionQueue,
        steps: StepQueue,
        wall_ms: Callable[[], int],
        *,
        uses_partial_state: bool,
    ) -> None:
        self._topic_name = topic_name
        self._coordinator = coordinator
        self._runtime = runtime
        self._timer = timer
        self._actions = actions
        self._steps = steps
        self._wall_ms = wall_ms
        self._uses_partial_state = uses_partial_state
        # Until the loaded records are noted as replicated.
        self._loads: dict[int, _Load] = {}
        # The partitions whose requests are refused because they are being loaded.
        self.loading: set[int] = set()
        # The end of the last unload of each partition that is being unloaded.
        self._unloads: dict[int, Signal] = {}
        # The durations of the latest loads, for metrics.
        self.times_ms: deque[float] = deque(maxlen=100)

    # --------------------------------------------------------------------------------- load

    def begin(self, partition: int, coordinator_log: CoordinatorLog) -> None:
        """Load *partition*, which the node leads now."""
        assert partition not in self._loads
        state, begun_ms = self._coordinator.new_state(), self._timer.now_ms()
        loader = CoordinatorLoader(coordinator_log, state, self._wall_ms)
        load = self._loads[partition] = _Load(partition, loader)
        self.loading.add(partition)
        self._start(load, self._load(load, coordinator_log, begun_ms, state))

    def _load(
        self,
        load: _Load,
        coordinator_log: CoordinatorLog,
        begun_ms: float,
        state: CoordinatorPlayback,
    ) -> Slices[None]:
        try:
            yield from load.loader.load()
        except Exception as error:
            if not self._uses_partial_state:
                raise
            self._log_failure(load, error)
        led = LedPartition(coordinator_log, self._timer.on_error)
        yield from self._adopt(load.partition, led, begun_ms, state)

    def _start(self, load: _Load, slices: Slices[None]) -> None:
        """Run *slices*; an exception leaves the partition without coordinator."""
        load.job = self._steps.start(
            acting(self._contained(load, slices), self._actions, run_without_cause)
        )

    def _contained(self, load: _Load, slices: Slices[None]) -> Slices[None]:
        try:
            for signal in slices:
                yield signal
                if self._timer.is_closed:
                    return
        except Exception as error:
            self._log_failure(load, error)
            self._runtime.on_resignation(load.partition)

    def _adopt(
        self, partition: int, led: LedPartition, begun_ms: float, state: CoordinatorPlayback
    ) -> Slices[None]:
        coordinator = self._coordinator
        yield self._unloads.get(partition)
        yield from coordinator.adopt(partition, state)
        if led.is_load_replicated:
            yield from coordinator.on_replicated(partition, state)
            led.is_noted = True
        self.loading.remove(partition)
        self.times_ms.append(self._timer.now_ms() - begun_ms)
        if led.is_noted:
            del self._loads[partition]
        else:
            self._loads[partition].adopted = state
        self._runtime.loaded(partition, led)
        coordinator.on_loaded(partition, state)

    def note_replicated(self, partition: int, led: LedPartition) -> None:
        """Note that the loaded records are replicated, if they are and it has not begun."""
        load = self._loads[partition]
        if led.is_load_replicated and load.adopted is not None:
            slices, load.adopted = self._note_replicated(partition, led, load.adopted), None
            self._start(load, slices)

    def _note_replicated(self, partition: int, led: LedPartition, state: Any) -> Slices[None]:
        yield from self._coordinator.on_replicated(partition, state)
        led.is_noted = True
        del self._loads[partition]
        self._runtime.on_high_watermark(partition)

    def _log_failure(self, load: _Load, error: Exception) -> None:
        log.error(
            "partition %d of %s cannot be loaded because of offset %d: %s: %s",
            *(load.partition, self._topic_name, load.loader.next_offset),
            *(type(error).__name__, error),
            exc_info=None if isinstance(error, _UNREADABLE) else error,
        )

    # ------------------------------------------------------------------------------- unload

    def end(self, partition: int, led: LedPartition | None, run: Run) -> None:
        """Unload *partition*, which is *led* if it was loaded; *run* runs each piece of that."""
        load = self._loads.pop(partition, None)
        self.loading.discard(partition)
        if load is not None:
            load.cancel()
        self._steps.start(acting(self._unload(partition, led), self._actions, run))

    def _unload(self, partition: int, led: LedPartition | None) -> Slices[None]:
        before, ended = self._unloads.get(partition), Signal()
        self._unloads[partition] = ended
        try:
            yield before
            yield from self._coordinator.on_unloaded(partition)
        finally:
            if led is not None:
                led.deferred.fail_all(ErrorCode.NOT_COORDINATOR)
            if self._unloads[partition] is ended:
                del self._unloads[partition]
            ended.set()


class _Load:
    """The load of a partition: *loader* reads its log, and ``job`` is all of it.

    ``adopted`` is the state while its records are not replicated.
    """

    __slots__ = ("adopted", "job", "loader", "partition")

    def __init__(self, partition: int, loader: CoordinatorLoader) -> None:
        self.partition = partition
        self.loader = loader
        self.job: Job | None = None
        self.adopted: CoordinatorPlayback | None = None

    def cancel(self) -> None:
        """End the load in any state."""
        if self.job is not None:
            self.job.cancel()

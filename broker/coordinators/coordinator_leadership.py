"""The leader of a partition of an internal topic is its coordinator.

Kafka's ``onElection`` and ``onResignation`` of ``GroupCoordinator`` and the other coordinators.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from broker.common.clock import Clock
from broker.controller.metadata.image import MetadataImage
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.coordinators.partition_log import PartitionLog
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from purgatories.action_queue import ActionQueue


class CoordinatorLeadership:
    """Notifies the runtimes of the partitions that the node begins or ceases to lead."""

    def __init__(
        self,
        runtimes: Iterable[CoordinatorRuntime],
        purgatories: PartitionPurgatories,
        actions: ActionQueue,
        clock: Clock,
    ) -> None:
        self._runtimes = {runtime.topic_name: runtime for runtime in runtimes}
        self._purgatories = purgatories
        self._actions = actions
        self._clock = clock

    def begin(self, image: MetadataImage) -> None:
        """Begin with *image*, before the node leads any partition."""
        for runtime in self._runtimes.values():
            runtime.begin(image)

    def leadership_changed(self, partition: Partition, leads: bool) -> None:
        """The node has begun, or ceased, to lead *partition*."""
        runtime = self._runtimes.get(partition.key.topic)
        if runtime is None:
            return
        index, listeners = partition.key.partition, self._purgatories.high_watermark_listeners
        if not leads:
            listeners.pop(partition.key, None)
            run = partial(self._purgatories.run_on_resignation, partition.key)
            runtime.on_resignation(index, run)
            return
        listeners[partition.key] = partial(runtime.on_high_watermark, index)
        log = PartitionLog(
            partition, self._purgatories, self._actions, self._clock, runtime.required_acks
        )
        runtime.on_election(index, log)

"""The leader of a partition of ``__consumer_offsets`` looks after its groups (``onElection``)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.common.clock import Clock
from broker.controller.image import GROUP_METADATA_TOPIC, MetadataImage
from broker.groups.coordinator import GroupCoordinator
from broker.groups.partition_log import PartitionLog
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from purgatories.action_queue import ActionQueue


class Elections:
    """Tells the coordinator which partitions it has got, and which it has lost."""

    def __init__(
        self,
        groups: GroupCoordinator,
        purgatories: PartitionPurgatories,
        actions: ActionQueue,
        image: Callable[[], MetadataImage],
        clock: Clock,
    ) -> None:
        self._groups = groups
        self._purgatories = purgatories
        self._actions = actions
        self._image = image
        self._clock = clock

    def leadership_changed(self, partition: Partition, leads: bool) -> None:
        """The node has begun, or ceased, to lead *partition*."""
        if partition.key.topic != GROUP_METADATA_TOPIC:
            return
        index, listeners = partition.key.partition, self._purgatories.high_watermark_listeners
        if not leads:
            listeners.pop(partition.key, None)
            self._purgatories.run_on_resignation(partition.key, partial(self._groups.resign, index))
            return
        topic = self._image().topic(GROUP_METADATA_TOPIC)
        assert topic is not None
        runtime = self._groups.runtime
        runtime.partition_count = len(topic.partitions)
        listeners[partition.key] = partial(runtime.on_high_watermark, index)
        log = PartitionLog(partition, self._purgatories, self._actions, self._clock)
        self._groups.lead(index, log)

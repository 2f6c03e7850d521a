"""The parts of a node that serve share groups: coordinator, persister and share partitions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config.groups import GroupConfigs
from broker.controller.controller import Controller
from broker.controller.metadata.image import Broker, MetadataImage
from broker.coordinators.inter_broker_sender import SenderParts
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.share.end_offsets import EndOffsets
from broker.replication.replication import Replication
from broker.share.offset_reset import OffsetReset
from broker.share.settings import ConfiguredSettings
from broker.share.share_partition_manager import SharePartitionManager
from broker.share.share_partitions import SharePartitions
from broker.share_coordinator.coordinator import ShareCoordinator
from broker.share_coordinator.network_persister import NetworkPersister
from broker.share_coordinator.periodic_tasks import schedule_share_coordinator_tasks
from broker.share_coordinator.state_topic import share_state_topic
from purgatories.timer.system_timer import SystemTimer


class NodeShareGroups:
    """The share coordinator, the persister and the share partitions.

    The node runs the persister's task and ``lock_timer``, which ends the locks on records.
    """

    def __init__(
        self,
        replication: Replication,
        clock: Clock,
        controller: Controller,
        senders: SenderParts,
        image: Callable[[], MetadataImage],
        lock_timer: SystemTimer,
        group_configs: GroupConfigs,
    ) -> None:
        config, timer = replication.config, replication.timer
        actions, partitions = senders.actions, replication.replicas.partitions
        self.coordinator = ShareCoordinator(config, clock, timer, actions, senders.steps, image)

        def delete_records(partition: TopicPartition, offset: int) -> None:
            partitions.get_or_error(partition).delete_records(offset)

        schedule_share_coordinator_tasks(timer, self.coordinator, config, actions, delete_records)

        def ensure_topic() -> None:
            with suppress(ApiError):  # the persister tries it again
                ensure_internal_topic(controller, share_state_topic(config))

        def find(key: str) -> Broker:
            return self.coordinator.runtime.coordinator(key, image())

        self.persister = NetworkPersister(senders, image, find, ensure_topic)
        self.end_offsets = EndOffsets(senders, image)

        self.lock_timer = lock_timer
        self.partitions = self._share_partitions(replication, clock, group_configs)

    def _share_partitions(
        self, replication: Replication, clock: Clock, group_configs: GroupConfigs
    ) -> SharePartitionManager:
        settings = partial(ConfiguredSettings, group_configs)
        purgatories, config = replication.purgatories, replication.config
        actions = replication.replicas.actions
        partitions = SharePartitions(
            replication.partitions,
            settings,
            self.persister,
            self.lock_timer,
            purgatories,
            OffsetReset(replication.partitions, clock.wall_ms),
            actions,
        )
        return SharePartitionManager(
            replication.partitions,
            partitions,
            settings,
            purgatories.share_fetch,
            actions,
            lambda: config.group_share_max_share_sessions,
        )

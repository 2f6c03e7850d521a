"""The replication of one node: its partitions, their waiting operations, and its fetchers.

It implements the protocols through which the parts use each other, and only it uses the controller.
A paused node leads as before but does not fetch, so that its leaders see a lagging follower.
"""

from __future__ import annotations

from collections.abc import Callable

import trio

from broker.common.clock import Clock
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.config.dynamic_only_keys import FOLLOWER_RATE, LEADER_RATE
from broker.controller.links.channel import ControllerChannel
from broker.controller.metadata.image import Broker, MetadataImage
from broker.controller.partitions.alter_partition import AlterPartition
from broker.network.inter_broker.inter_broker_connections import InterBrokerConnections
from broker.network.inter_broker.link import Link
from broker.quotas.replication_quota import ReplicationQuota
from broker.replication.delta_applier import DeltaApplier, OnLeadershipChange
from broker.replication.follower.replica_fetcher_manager import ReplicaFetcherManager
from broker.replication.holds import Holds
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.leader_state import AlterPartitionResult
from broker.replication.leader_throttle import LeaderThrottle
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.replication.replica_manager import ReplicaManager
from broker.replication.replica_selector import RackAwareReplicaSelector
from broker.steps.queue import Slices, StepQueue
from broker.steps.schedule import InSlices, schedule
from broker.storage.directories.log_manager import LogManager
from purgatories.timer.system_timer import SystemTimer


class Replication:
    """The replicas of one node, as leader and as follower."""

    def __init__(
        self,
        node_id: int,
        config: Config,
        clock: Clock,
        timer: SystemTimer,
        logs: LogManager,
        purgatories: PartitionPurgatories,
        image: Callable[[], MetadataImage],
        channel: ControllerChannel,
        connections: InterBrokerConnections,
        on_leadership_change: OnLeadershipChange,
        link_to: Callable[[int], Link],
        holds: Holds,
        steps: StepQueue,
    ) -> None:
        self.node_id = node_id
        self.config = config
        self.timer = timer
        self.now_ms = clock.now_ms
        self.purgatories = purgatories
        self._image = image
        self._channel = channel
        self.link_to = link_to
        self.holds = holds.of
        self.paused = False  # whether this node's fetchers are paused
        self._resumed = trio.Event()
        self.partitions = HostedPartitions(self._is_known)
        self.replicas = ReplicaManager(self.partitions, purgatories, clock.now_ms)
        self.replica_selector: RackAwareReplicaSelector | None = None
        if config.replica_selector_class is not None:
            self.replica_selector = RackAwareReplicaSelector(node_id, self.alive)
        leader_quota = ReplicationQuota(node_id, config, clock.now_ms, LEADER_RATE)
        self.leader_throttle = LeaderThrottle(leader_quota)
        self.follower_quota = ReplicationQuota(node_id, config, clock.now_ms, FOLLOWER_RATE)
        self.fetchers = ReplicaFetcherManager(self, connections)
        self.delta_applier = DeltaApplier(
            self, config, logs, self.partitions, purgatories, self.fetchers, on_leadership_change
        )
        logs.on_directory_failed(self._directory_failed)
        check_ms = max(1, config.replica_lag_time_max_ms // 2)
        shrink = InSlices(timer, steps, self._shrink_isrs)
        schedule(timer, shrink, delay_ms=check_ms, period_ms=check_ms)

    # -------------------------------------------------------------------------- pause, resume

    def pause(self) -> None:
        """Stop fetching; responses in progress are not processed before `resume`."""
        if not self.paused:
            self.paused = True
            self._resumed = trio.Event()

    def resume(self) -> None:
        """Fetch again."""
        self.paused = False
        self._resumed.set()
        self.fetchers.resumed()

    async def wait_until_resumed(self) -> None:
        """Wait until the node is not paused."""
        if self.paused:
            await self._resumed.wait()

    # ----------------------------------------------------------------- what the parts use

    @property
    def replica_lag_time_max_ms(self) -> int:
        """How long a follower may lag (replica.lag.time.max.ms)."""
        return self.config.replica_lag_time_max_ms

    def alive(self, node_id: int) -> Broker | None:
        """The node in the metadata; None if it is fenced or unknown."""
        broker = self._image().brokers.get(node_id)
        return None if broker is None or broker.fenced else broker

    def alter_partition(
        self, change: AlterPartition, on_response: Callable[[AlterPartitionResult], None]
    ) -> None:
        """Request another ISR from the controller."""
        self._channel.alter_partition(change, on_response)

    def offsets_moved(self, key: TopicPartition, offset: int, replica: int | None) -> None:
        """Check the operations that wait on the high watermark (now *offset*) or the low one."""
        self.purgatories.after_offsets_moved(key, offset, replica)

    def replicated(self, key: TopicPartition, high_watermark: int) -> None:
        """Check waiting operations: the high watermark of a followed partition has moved."""
        self.purgatories.after_replicated(key, high_watermark)

    def holds_changed(self) -> None:
        """Apply the present holds of fault rules to the partitions that this node leads."""
        for partition in list(self.partitions.values()):
            if partition.leader_state is not None:
                partition.leader_state.set_holds(self.holds(partition.key))

    def _is_known(self, key: TopicPartition) -> bool:
        topic = self._image().topic(key.topic)
        return topic is not None and 0 <= key.partition < len(topic.partitions)

    def _directory_failed(self, keys: list[TopicPartition]) -> None:
        self.delta_applier.mark_offline(keys)
        self._channel.replicas_failed(self.node_id, keys)

    def _shrink_isrs(self) -> Slices[None]:
        for partition in list(self.partitions.values()):
            is_hosted = self.partitions.get(partition.key) is partition
            if is_hosted and partition.leader_state is not None:
                try:
                    partition.leader_state.maybe_shrink_isr()
                except Exception as error:
                    self.timer.on_error(f"shrinking the in-sync set of {partition.key}", error)
            yield None

"""One broker node: composes its logs and the components that serve requests.

A node creates its components, applies changes of the controller's image to them, and closes them in
order (Kafka's ``BrokerServer`` and ``BrokerMetadataPublisher``). Each purgatory has its own timer,
as in Kafka; all timers read the same clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import trio

from broker.api.connection_setups import connection_setups
from broker.api.request_channel import RequestChannel
from broker.api.services import Services
from broker.api.table import advertised_versions
from broker.common.timer import new_timer
from broker.common.topic_partition import TopicPartition
from broker.common.unexpected_errors import UnexpectedErrors
from broker.config import Config
from broker.config.dynamic import ALL_NODES
from broker.controller.feeds.metadata_route import metadata_route
from broker.controller.links.channel import ControllerChannel
from broker.controller.links.controller_request import controller_link
from broker.controller.metadata.features import SHARE_VERSION
from broker.controller.metadata.image import Broker, MetadataImage, TopicImage
from broker.coordinators.coordinator_leadership import CoordinatorLeadership
from broker.coordinators.inter_broker_sender import SenderParts
from broker.groups.group_coordinator_service import GroupCoordinatorService
from broker.groups.periodic_tasks import schedule_group_tasks
from broker.groups.share.end_offsets import OnEndOffset
from broker.network.inter_broker.inter_broker_connections import InterBrokerConnections
from broker.network.inter_broker.node_links import NodeLinks
from broker.node_network import NodeNetwork
from broker.node_share_groups import NodeShareGroups
from broker.node_shared_parts import SharedParts
from broker.node_transactions import NodeTransactions
from broker.quotas.connection_quotas import ConnectionQuotas
from broker.quotas.entity import Entity, Quotas
from broker.quotas.quota_managers import QuotaManagers
from broker.replication.fetch_session import FetchSessionCache
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.replication.replication import Replication
from broker.security.acl.standard_authorizer import configured_authorizer
from broker.security.credentials import StoredCredentials
from broker.security.tls.listener_tls import reload_changed
from broker.steps.queue import Slices
from broker.steps.schedule import schedule
from broker.storage.directories.log_manager import LogManager
from broker.storage.log_tasks import schedule_log_tasks
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper

# How often the measurements of idle clients are removed.
_REMOVE_IDLE_MS = 3_600_000
# Of each purgatory; Kafka's 512 are for threads that wait for each other's locks, and take memory.
_SHARDS = 64


class Node:
    """A node that can serve clients once it is created, and applies changes of the cluster."""

    def __init__(
        self, broker: Broker, config: Config, data_dirs: Sequence[Path], shared: SharedParts
    ) -> None:
        self.id, self.host, self.port = broker.node_id, broker.host, broker.port
        # A copy, since settings may be changed for this node only while it runs.
        self.config = config = replace(config)
        self._shared = shared
        self.clock, self.controller = shared.clock, shared.controller
        self.changes, self.steps, self.offload = shared.changes, shared.steps, shared.offload
        self.faults, self.recorder = shared.faults, shared.recorder
        self.purgatories: list[DelayedOperationPurgatory[Any]] = []
        self._is_started = False
        self.unexpected_errors = UnexpectedErrors(f"node {broker.node_id}")
        self.timer = self._timer("node")
        self.connection_quotas = ConnectionQuotas(config, self.timer)
        self.client_quotas = QuotaManagers(config, self.clock.now_ms)
        self.logs = self._log_manager(data_dirs)
        link = controller_link(shared.links, self.id, self.timer, config)
        self.channel = ControllerChannel(self.controller, link)
        network = self._network()
        self.network, self.connections = network, network.to_clients
        self.replication = self._replication(network.to_nodes)
        self.replicas = self.replication.replicas
        senders = SenderParts(self.replication, network.to_nodes, self.replicas.actions, self.steps)
        self.groups = self._groups()
        self._transaction_parts = self._transactions(senders)
        self.producer_ids = self._transaction_parts.producer_ids
        self.marker_channel = self._transaction_parts.marker_channel
        self.transactions = self._transaction_parts.coordinator
        self.partition_sender = self._transaction_parts.partition_sender
        self.share_groups = self._share_groups(senders)
        self._coordinator_leadership = self._leadership_of_coordinators()
        slots = config.max_incremental_fetch_session_cache_slots
        self.fetch_sessions = FetchSessionCache(slots, self.clock)
        self._schedule_periodic_work()
        self.feed = self.controller.register(broker, self, was_clean=self.logs.was_clean)
        self.feed.arrive_by(metadata_route(shared.links, self.id, config))
        self.services = self._services()
        self.listeners = connection_setups(self.services, self.recorder, self.timer, network.tls)
        self._begin_to_follow()

    def _begin_to_follow(self) -> None:
        """Apply the whole image at once; later changes are applied in slices.

        An exception leaves the cluster as it was before.
        """
        try:
            self._coordinator_leadership.begin(self.controller.image)
            self.feed.release()
        except BaseException:
            self.crash()
            self.controller.fence(self.id)
            raise
        self.logs.started()
        self._is_started = True

    async def run(self) -> None:
        """Run the node's timers, fetchers and senders until cancelled."""
        self.feed.steps = self.steps
        async with trio.open_nursery() as nursery:
            shares = self.share_groups
            senders = self.marker_channel.run, self.partition_sender.run, shares.persister.run
            fetchers = self.replication.fetchers.run, shares.end_offsets.run
            for task in (*fetchers, *senders, self.network.channels.run):
                nursery.start_soon(task)
            until = self.clock.seconds_until
            nursery.start_soon(run_reaper, self.timer, None, until)
            nursery.start_soon(run_reaper, self.share_groups.lock_timer, None, until)
            for purgatory in self.purgatories:
                nursery.start_soon(run_reaper, purgatory.timer, purgatory.purge_if_due, until)

    @property
    def image(self) -> MetadataImage:
        """The metadata of the cluster on this node, which may be older than the controller's."""
        return self.feed.image

    def _current_image(self) -> MetadataImage:
        """The image, for parts that are made before the feed."""
        return self.feed.image

    def broker_changed(self, _broker: Broker) -> None:
        """Apply the registration or the fencing of a node; leaders change with topics."""
        self.changes.notify()

    def configs_changed(self) -> Slices[None]:
        """Apply the dynamic configs of this node, also to its logs."""
        configs = self.image.broker_configs
        self.config.reconfigure(configs.get(str(self.id), {}), configs.get(ALL_NODES, {}))
        self.connection_quotas.reconfigured()
        self.cleaner_rounds.reconfigured()
        reload_changed(self.network.tls, self.config)
        for topic in self.image:
            yield from self.replication.delta_applier.apply_topic(topic)
        self.changes.notify()

    def client_quotas_changed(self, entity: Entity, quotas: Quotas) -> None:
        """Apply the quotas of clients or of an address."""
        self.client_quotas.put(entity, quotas)
        self.connection_quotas.address_rates.put(entity, quotas)
        self.changes.notify()

    def feature_levels_changed(self) -> None:
        """End the share sessions if there are no share groups."""
        if not self.image.feature_level(SHARE_VERSION):
            self.share_groups.partitions.sessions.end_all()

    def group_configs_changed(self, group_id: str) -> None:
        """Apply the configs of a group, which are used from its next heartbeat on."""
        settings = self.image.group_configs.get(group_id, {})
        self.groups.consumers.configs.replace(group_id, settings)

    def delivered(self) -> None:
        """Fetch the partitions that the node follows since the last change; send what waited."""
        self.replication.fetchers.assign_pending()
        self.marker_channel.metadata_changed()
        self.share_groups.persister.metadata_changed()

    def delivery_failed(self, change: str, error: Exception) -> None:
        """Report an exception that was raised while *change* was applied."""
        if not self._is_started:  # an error of Kafka's first publication is fatal as well
            raise error
        self.unexpected_errors.elsewhere(change, error)

    def topic_changed(self, topic: TopicImage) -> Slices[None]:
        """Apply the creation or change of a topic."""
        yield from self.replication.delta_applier.apply_topic(topic)
        self.groups.topics_changed([topic.name])
        self.changes.notify()

    def topic_deleted(self, topic: TopicImage) -> Slices[None]:
        """Apply the deletion of a topic; requests that wait for its partitions are completed."""
        yield from self.replication.delta_applier.delete_topic(topic)
        self.groups.topics_changed([topic.name])
        yield from self.groups.on_topic_deleted(topic.name, topic.topic_id)
        self.share_groups.coordinator.topics_deleted([topic.topic_id])
        self.changes.notify()

    def _leadership_changed(self, partition: Partition, leads: bool) -> None:
        self._coordinator_leadership.leadership_changed(partition, leads)
        self.share_groups.partitions.partitions.leadership_changed(partition, leads)

    def close(self) -> None:
        """Flush and close the logs, and write the clean shutdown files."""
        self._end()
        self.logs.close()

    def crash(self) -> None:
        """Close everything without flushing, as when the process is killed."""
        self._end()
        self.logs.crash()

    def _end(self) -> None:
        self.network.channels.close()
        self.timer.close()
        self.share_groups.lock_timer.close()
        self.channel.close()
        for purgatory in self.purgatories:
            purgatory.shutdown()

    def timers(self) -> list[SystemTimer]:
        """The node's own timer, that of locks, and those of its purgatories."""
        others = (purgatory.timer for purgatory in self.purgatories)
        return [self.timer, self.share_groups.lock_timer, *others]

    def _schedule_periodic_work(self) -> None:
        self.cleaner_rounds = schedule_log_tasks(
            self.timer, self.steps, self.logs, self.config, self.offload
        )
        mutations = self.controller.client_quotas.mutations
        for remove_idle in (
            self.client_quotas.remove_idle,
            self.connection_quotas.address_rates.remove_idle,
            lambda: mutations.remove_idle(self.clock.now_ms()),
        ):
            schedule(self.timer, remove_idle, delay_ms=_REMOVE_IDLE_MS, period_ms=_REMOVE_IDLE_MS)

    def _log_manager(self, data_dirs: Sequence[Path]) -> LogManager:
        return LogManager(
            data_dirs,
            self.clock,
            node_id=self.id,
            cluster_id=self.controller.image.cluster_id,
            durable=self._shared.durable,
            open_files=self._shared.open_files,
        )

    def _network(self) -> NodeNetwork:
        return NodeNetwork(
            self.config,
            self.clock,
            self.timer,
            self._shared.serving,
            self._shared.connect,
            self.unexpected_errors.in_connection,
            self.changes,
        )

    def _replication(self, others: InterBrokerConnections) -> Replication:
        return Replication(
            self.id,
            self.config,
            self.clock,
            self.timer,
            self.logs,
            self._partition_purgatories(),
            self._current_image,
            self.channel,
            others,
            self._leadership_changed,
            NodeLinks(self._shared.links, self.id, self.timer, self.config).to,
            self._shared.holds,
            self.steps,
        )

    def _timer(self, name: str) -> SystemTimer:
        return new_timer(name, self.clock.now_ms, self.unexpected_errors.elsewhere)

    def _partition_purgatories(self) -> PartitionPurgatories:
        config = self.config
        return PartitionPurgatories(
            self._purgatory("Produce", config.producer_purgatory_purge_interval_requests),
            self._purgatory("Fetch", config.fetch_purgatory_purge_interval_requests),
            self._purgatory(
                "DeleteRecords", config.delete_records_purgatory_purge_interval_requests
            ),
            self._purgatory("ShareFetch", config.share_fetch_purgatory_purge_interval_requests),
            self.changes,
            self.recorder,
        )

    def _groups(self) -> GroupCoordinatorService:
        groups = GroupCoordinatorService(
            self.config,
            self.clock,
            self.timer,
            self.replicas.actions,
            self.steps,
            self._purgatory("Rebalance", 1000),
            self._purgatory("Heartbeat", 1000),
            self._current_image,
            self.offload,
            lambda: self.share_groups.persister,
            self._find_end_offset,
        )
        schedule_group_tasks(self.timer, groups, self.config, self.steps)
        return groups

    def _transactions(self, senders: SenderParts) -> NodeTransactions:
        return NodeTransactions(
            self.replication, self.clock, self.channel, senders, self._current_image
        )

    def _find_end_offset(self, partition: TopicPartition, done: OnEndOffset) -> None:
        self.share_groups.end_offsets.find(partition, done)

    def _share_groups(self, senders: SenderParts) -> NodeShareGroups:
        return NodeShareGroups(
            self.replication,
            self.clock,
            self.controller,
            senders,
            self._current_image,
            self._timer("share-group-lock-timeout"),
            self.groups.consumers.configs,
        )

    def _leadership_of_coordinators(self) -> CoordinatorLeadership:
        return CoordinatorLeadership(
            [self.groups.runtime, self.transactions.runtime, self.share_groups.coordinator.runtime],
            self.replication.purgatories,
            self.replicas.actions,
            self.clock,
        )

    def _services(self) -> Services:
        image = self.feed.image
        return Services(
            node_id=self.id,
            config=self.config,
            clock=self.clock,
            image=image,
            controller=self.controller,
            replicas=self.replicas,
            groups=self.groups,
            transactions=self.transactions,
            verification=self._transaction_parts.verification,
            share_coordinator=self.share_groups.coordinator,
            producer_ids=self.producer_ids,
            logs=self.logs,
            fetch_sessions=self.fetch_sessions,
            replica_selector=self.replication.replica_selector,
            leader_throttle=self.replication.leader_throttle,
            share_partitions=self.share_groups.partitions,
            client_quotas=self.client_quotas,
            offload=self.offload,
            api_versions=advertised_versions(),
            request_channel=RequestChannel(self.changes, self.unexpected_errors, self.recorder),
            request_counts=self._shared.request_counts,
            state_changes=self.changes,
            faults=self.faults,
            steps=self.steps,
            unexpected_errors=self.unexpected_errors,
            credentials=StoredCredentials(self.config, image.scram, image.delegation_tokens),
            authorizer=configured_authorizer(self.config, image.acls),
            tls=self.network.tls,
        )

    def _purgatory(self, name: str, purge_interval: int) -> DelayedOperationPurgatory[Any]:
        purgatory: DelayedOperationPurgatory[Any] = DelayedOperationPurgatory(
            name, self._timer(name), purge_interval=purge_interval, shards=_SHARDS
        )
        self.purgatories.append(purgatory)
        return purgatory

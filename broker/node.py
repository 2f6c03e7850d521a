"""One broker node: its id and address, its logs, and the parts that answer requests.

A record of parts with no behaviour of its own beyond putting them together, following the
controller's image, and closing them in order. Each purgatory has a timer of its own, as in Kafka;
all of them read the same clock, so time stands still or jumps for all of them together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trio

from broker.clock import Clock
from broker.config import Config
from broker.controller.controller import Controller
from broker.controller.image import Broker, MetadataImage, TopicImage
from broker.dispatch import Dispatcher, advertised
from broker.groups.coordinator import GroupCoordinator
from broker.housekeeping import keep_house
from broker.replication.fetch_session import FetchSessionCache
from broker.replication.replica_manager import ReplicaManager
from broker.storage.log_manager import LogManager
from broker.topic_partition import TopicPartition
from protocol.framing import Scratch
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper


class Node:
    """A node that serves clients as soon as it is made, and follows the controller from then on.

    ``durable``: what is flushed must outlive the machine, so it is synced to the disk.
    """

    def __init__(
        self,
        broker: Broker,
        config: Config,
        clock: Clock,
        controller: Controller,
        data_dir: Path,
        *,
        durable: bool = False,
    ) -> None:
        self.id, self.host, self.port = broker.node_id, broker.host, broker.port
        self.config = config
        self.clock = clock
        self.controller = controller
        self.data_dir = data_dir
        self.purgatories: list[DelayedOperationPurgatory[Any]] = []
        self.connections = 0
        self.scratch = Scratch()
        self.logs = LogManager(
            data_dir,
            clock,
            node_id=broker.node_id,
            cluster_id=controller.image.cluster_id,
            durable=durable,
        )
        self.replicas = ReplicaManager(
            broker.node_id,
            config,
            self.logs,
            self._purgatory("Produce", config.producer_purgatory_purge_interval_requests),
            self._purgatory("Fetch", config.fetch_purgatory_purge_interval_requests),
        )
        self.groups = GroupCoordinator(
            config, clock, self._purgatory("Rebalance", 1000), self._purgatory("Heartbeat", 1000)
        )
        self.fetch_sessions = FetchSessionCache(
            config.max_incremental_fetch_session_cache_slots, clock
        )
        self.timer = SystemTimer("node", now_ms=clock.now_ms)
        keep_house(self.timer, self.logs, config, durable=durable)
        self.api_versions = advertised()
        self.dispatch = Dispatcher(self)
        controller.register(broker, self)

    async def keep_time(self) -> None:
        """Run every timer of the node until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_reaper, self.timer)
            for purgatory in self.purgatories:
                nursery.start_soon(run_reaper, purgatory.timer, purgatory.purge_if_due)

    @property
    def image(self) -> MetadataImage:
        """The cluster as this node knows it."""
        return self.controller.image

    def topic_changed(self, topic: TopicImage) -> None:
        """Serve what is new of a topic."""
        self.replicas.host(topic)

    def topic_deleted(self, topic: TopicImage) -> None:
        """Stop serving a topic and answer those who wait on it."""
        self.replicas.drop(topic)
        self.groups.offsets.on_topics_deleted([topic.name])

    def close(self) -> None:
        """Flush and close the logs, and leave the mark of a clean shutdown."""
        self.timer.close()
        for purgatory in self.purgatories:
            purgatory.shutdown()
        self.logs.close()

    def cluster(self) -> dict[str, object]:
        """The cluster as the admin interface tells it: nodes, topics, who leads, how far."""
        return {
            "cluster_id": self.image.cluster_id,
            "nodes": [
                {"id": broker.node_id, "host": broker.host, "port": broker.port}
                for broker in self.image.brokers.values()
            ],
            "topics": [self._topic(topic) for topic in self.image],
        }

    def statistics(self) -> dict[str, object]:
        """What the admin interface tells of this node."""
        return {
            "id": self.id,
            "connections": self.connections,
            "fetch_sessions": len(self.fetch_sessions),
            "purgatories": [purgatory.statistics() for purgatory in self.purgatories],
        }

    def _topic(self, topic: TopicImage) -> dict[str, object]:
        partitions = []
        for index, registration in enumerate(topic.partitions):
            log = self.replicas.partitions[TopicPartition(topic.name, index)].log
            partitions.append(
                {
                    "partition": index,
                    "leader": registration.leader,
                    "leader_epoch": registration.leader_epoch,
                    "replicas": list(registration.replicas),
                    "isr": list(registration.isr),
                    "log_start_offset": log.log_start_offset,
                    "high_watermark": log.high_watermark,
                    "log_end_offset": log.log_end_offset,
                }
            )
        return {"name": topic.name, "id": str(topic.topic_id), "partitions": partitions}

    def _purgatory(self, name: str, purge_interval: int) -> DelayedOperationPurgatory[Any]:
        timer = SystemTimer(name, now_ms=self.clock.now_ms)
        purgatory: DelayedOperationPurgatory[Any] = DelayedOperationPurgatory(
            name, timer, purge_interval=purge_interval
        )
        self.purgatories.append(purgatory)
        return purgatory

"""The parts of a node that serve transactions: the coordinator, and what sends for it."""

from __future__ import annotations

from collections.abc import Callable

from broker.common.clock import Clock
from broker.controller.links.channel import ControllerChannel
from broker.controller.metadata.features import TRANSACTION_VERSION
from broker.controller.metadata.image import MetadataImage
from broker.coordinators.inter_broker_sender import SenderParts
from broker.replication.replication import Replication
from broker.transactions.add_partitions_to_txn import AddPartitionsToTxnSender
from broker.transactions.coordinator import TransactionCoordinator
from broker.transactions.marker_channel import TransactionMarkerChannel
from broker.transactions.periodic_tasks import schedule_transaction_tasks
from broker.transactions.producer_ids import ProducerIdManager
from broker.transactions.verification import TransactionVerification


class NodeTransactions:
    """The transaction coordinator, its producer ids and markers, and the verification of batches.

    ``marker_channel`` and ``partition_sender`` have tasks, which the node runs.
    """

    def __init__(
        self,
        replication: Replication,
        clock: Clock,
        channel: ControllerChannel,
        senders: SenderParts,
        image: Callable[[], MetadataImage],
    ) -> None:
        config, timer = replication.config, replication.timer
        actions, steps = senders.actions, senders.steps
        self.producer_ids = ProducerIdManager(channel, timer)
        self.marker_channel = TransactionMarkerChannel(senders, image, lambda: self.coordinator)
        self.coordinator = TransactionCoordinator(
            config,
            clock,
            timer,
            actions,
            steps,
            self.producer_ids,
            self.marker_channel,
            lambda: image().feature_level(TRANSACTION_VERSION),
        )
        schedule_transaction_tasks(timer, self.coordinator, config, clock, steps, actions)
        self.partition_sender = AddPartitionsToTxnSender(
            senders, lambda key: self.coordinator.runtime.coordinator(key, image())
        )
        self.verification = TransactionVerification(
            config, timer, replication.replicas.partitions, self.partition_sender, actions
        )

"""One run: clients, copiers and faults from a seed, then the final values, and the history."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from integration.transactions.clients import (
    READ_COMMITTED,
    READ_UNCOMMITTED,
    Clients,
    final_values,
    last_transaction,
)
from integration.transactions.copiers import NEW, OLD, Copiers, copy_name
from integration.transactions.faults import Cluster, cause_faults
from integration.transactions.history import History, Outcome

NODES = 3
CLIENTS = 4
PARTITIONS = 3
# Broker settings: a transaction without its producer ends soon, and internal topics are small.
SETTINGS = {
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
    "transaction.state.log.num.partitions": "3",
    "offsets.topic.num.partitions": "1",
    "default.replication.factor": str(NODES),
    "replica.lag.time.max.ms": "2000",
    "group.initial.rebalance.delay.ms": "0",
}
_CLIENTS_END_WITHIN_SECONDS = 90.0


class Run(NamedTuple):
    """A history, and the faults during it."""

    history: History
    faults: Sequence[str]

    def summary(self) -> str:
        """The numbers of transactions and faults."""
        outcomes = [each.outcome for each in self.history.transactions]
        counts = ", ".join(f"{outcomes.count(each)} {each.name.lower()}" for each in Outcome)
        reads = sum(len(each.reads) for each in self.history.transactions)
        copied = sum(map(len, self.history.final.values())) * len(self.history.copies)
        return (
            f"{len(outcomes)} transactions ({counts}), {reads} reads, {copied} values copied, "
            f"{len(self.faults)} faults"
        )


def run(cluster: Cluster, faulty_nodes: Sequence[int], seconds: float, seed: int) -> Run:
    """Run clients, copiers and faults for *seconds* on a cluster with `SETTINGS`."""
    topic = f"lists-{seed}"
    copies = [copy_name(topic, protocol) for protocol in (OLD, NEW)]
    _create_topics(cluster.bootstrap, [topic, *copies])
    clients = Clients(cluster.bootstrap, topic, PARTITIONS, CLIENTS, seed)
    copiers = Copiers(cluster.bootstrap, topic, PARTITIONS, seed)
    clients.start()
    copiers.start()
    faults = cause_faults(cluster, faulty_nodes, seconds, seed) if faulty_nodes else []
    if not faulty_nodes:
        time.sleep(seconds)
    transactions = clients.stop(_CLIENTS_END_WITHIN_SECONDS)
    values = [next(clients.values) for _ in range(PARTITIONS)]
    last = last_transaction(cluster.bootstrap, topic, values)
    final, log = (
        final_values(cluster.bootstrap, topic, last, isolation=isolation)
        for isolation in (READ_COMMITTED, READ_UNCOMMITTED)
    )
    copied = {
        name: final_values(cluster.bootstrap, name, last, isolation=READ_COMMITTED)
        for name in copies
    }
    copiers.stop(_CLIENTS_END_WITHIN_SECONDS)
    return Run(History((*transactions, last), final, log, copied), faults)


def _create_topics(bootstrap: str, names: Sequence[str]) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    topics = [NewTopic(name, PARTITIONS, NODES) for name in names]
    for created in admin.create_topics(topics).values():
        created.result(60)

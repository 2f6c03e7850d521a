"""The transactional producers and committed readers of a run, and the checks of their results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio

from broker.cluster import Cluster
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from broker.coordinators.coordinator_record import RawRecord
from broker.groups.records.serde import GROUP_RECORDS
from protocol.record_batch.record import Record
from tests.simulation.connections import Connections
from tests.simulation.history import History
from tests.simulation.rules import TOPIC, Rules
from tests.simulation.transactions.ledger import Ledger, Transaction
from tests.simulation.transactions.marked_log import MarkedLog
from tests.simulation.transactions.offset_reader import OffsetReader
from tests.simulation.transactions.plan import GROUP, TransactionsPlan
from tests.simulation.transactions.positions import check_positions
from tests.simulation.transactions.producer import TransactionalProducer
from tests.simulation.transactions.reader import CommittedReader
from tests.simulation.transactions.state_log import StateLog
from tests.simulation.transactions.used_ids import use_up_epochs
from tests.simulation.violation import Violation


class TransactionalTraffic:
    """Producers and readers, until `finish`."""

    def __init__(
        self,
        plan: TransactionsPlan,
        cluster: Cluster,
        connections: Connections,
        rules: Rules,
        history: History,
        seed: int,
    ) -> None:
        self._plan = plan
        self._cluster = cluster
        self._producing = 0
        self._ledger = Ledger()
        data = [key for key in rules.keys if key.topic == TOPIC]
        self._logs = [
            MarkedLog(key, rules.committed[key], self._ledger, self._identify_value) for key in data
        ]
        self._readers = [CommittedReader(connections, rules, log, seed) for log in self._logs]
        self._offsets = [
            MarkedLog(key, rules.committed[key], self._ledger, self._identify_offset)
            for key in rules.keys
            if key.topic == GROUP_METADATA_TOPIC
        ]
        [offsets] = self._offsets
        self._offset_reader = OffsetReader(
            GROUP, data[0], cluster, connections, rules, self._ledger, offsets, seed
        )
        state_log = StateLog(rules)
        self._producers = [
            TransactionalProducer(
                each, cluster, connections, rules, history, self._ledger, state_log, data, seed
            )
            for each in plan.producers
        ]

    def start(self, nursery: trio.Nursery) -> None:
        """Run all of them in tasks."""
        if self._plan.first_epoch:
            nursery.start_soon(self._use_up_epochs, nursery)
        else:
            self._start_producers(nursery)
        for reader in self._readers:
            nursery.start_soon(reader.run)
        nursery.start_soon(self._offset_reader.run)

    def _start_producers(self, nursery: trio.Nursery) -> None:
        for producer in self._producers:
            nursery.start_soon(self._run, producer.run)

    async def _use_up_epochs(self, nursery: trio.Nursery) -> None:
        """Start the producers when their transactional ids have the first epoch of the plan."""
        self._producing += 1
        for name in sorted({each.transactional_id for each in self._plan.producers}):
            await use_up_epochs(self._cluster, name, self._plan.first_epoch)
        self._start_producers(nursery)
        self._producing -= 1

    async def _run(self, run: Callable[[], Awaitable[None]]) -> None:
        self._producing += 1
        await run()
        self._producing -= 1

    def finish(self) -> None:
        """End the producers after their present transactions, and the reader of offsets."""
        self._offset_reader.is_over = True
        for producer in self._producers:
            producer.is_over = True

    def finish_readers(self) -> None:
        """End the readers when they have read everything."""
        for reader in self._readers:
            reader.is_over = True

    @property
    def in_progress(self) -> int:
        """The number of producers, and of readers that should have ended."""
        return self._producing + sum(each.is_over and each.is_running for each in self._readers)

    def check(self) -> None:
        """Check what is committed now; raises `Violation`."""
        for log in (*self._logs, *self._offsets):
            log.catch_up()

    async def commit_last(self) -> None:
        """Every transactional id can be used in a healed cluster; raises `Violation`."""
        for producer in self._producers:
            await producer.commit_last()

    async def check_final_state(self) -> None:
        """Check the outcome of every transaction and the group's offset; raises `Violation`."""
        self.check()
        for log in (*self._logs, *self._offsets):
            if parts := log.open_parts():
                names = ", ".join(part.transaction.name for part in parts)
                raise Violation(f"{log.key}: no marker ends {names}")
        for transaction in self._ledger.transactions:
            self._check_complete(transaction)
        for reader in self._readers:
            reader.check_all_delivered()
        position = check_positions(self._ledger.transactions)
        for producer in self._producers:
            await producer.check_position(position)

    def _check_complete(self, transaction: Transaction) -> None:
        """A committed transaction has all of its records; acknowledged, it has an outcome."""
        self._ledger.check_response(transaction)
        if transaction.response is True and transaction.outcome is None:
            raise Violation(f"{transaction.name}: committed without records or markers")
        if transaction.outcome is not True:
            return
        found = {record.value for log in self._logs for record in log.visible_of(transaction)}
        kept = [sent for sent in transaction.sent if sent.key.topic == TOPIC]
        lost = {value for sent in kept for value in sent.values} - found
        if lost:
            raise Violation(f"{transaction.name}: committed without {sorted(lost)}")

    def _identify_value(self, record: Record) -> Transaction | None:
        return self._ledger.of_value(record.value)

    def _identify_offset(self, record: Record) -> Transaction | None:
        decoded = GROUP_RECORDS.deserialize(RawRecord(record.key or b"", record.value))
        assert decoded is not None
        return self._ledger.of_name(decoded.value.metadata)

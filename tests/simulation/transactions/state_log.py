"""The producer ids of transactional ids, from the committed records of ``__transaction_state``.

Their order there is the order in which they were granted; the numbers have no order, because each
coordinator takes them from a block of its own.
"""

from __future__ import annotations

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC
from broker.coordinators.coordinator_record import RawRecord
from broker.transactions.log_records import (
    TransactionLogKey,
    TransactionLogValue,
    transaction_records,
    value_of,
)
from protocol.record_batch.batch import records
from protocol.record_batch.header import NO_PRODUCER_ID
from tests.simulation.rules import Rules
from tests.simulation.transactions.ledger import Identity
from tests.simulation.violation import Violation

_RECORDS = transaction_records(lambda: 2)


class StateLog:
    """Reads the committed records in order; no producer id is granted twice."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._read = {key: 0 for key in rules.keys if key.topic == TRANSACTION_STATE_TOPIC}
        # The producer ids of each transactional id in order, and the transactional id of each.
        self._granted: dict[str, list[int]] = {}
        self._owners: dict[int, str] = {}

    def identity(self, transactional_id: str, producer_id: int, producer_epoch: int) -> Identity:
        """The identity in a response; raises `Violation` if its producer id is not committed."""
        self._rules.check_all()
        for key in self._read:
            self._catch_up(key)
        if self._owners.get(producer_id) != transactional_id:
            raise Violation(f"{transactional_id} gets {producer_id}, which is not in the log")
        generation = self._granted[transactional_id].index(producer_id)
        return Identity(generation, producer_id, producer_epoch)

    def _catch_up(self, key: TopicPartition) -> None:
        batches = self._rules.committed[key].in_order
        for data in batches[self._read[key] :]:
            for record in records(data):
                self._add(RawRecord(record.key or b"", record.value))
        self._read[key] = len(batches)

    def _add(self, raw: RawRecord) -> None:
        decoded = _RECORDS.deserialize(raw)
        assert decoded is not None
        key, value = decoded.key, decoded.value
        assert isinstance(key, TransactionLogKey)
        if value is None:
            return
        assert isinstance(value, TransactionLogValue)
        granted = value_of(value)
        for producer_id in (granted.producer_id, granted.next_producer_id):
            if producer_id != NO_PRODUCER_ID:
                self._grant(key.transactional_id, producer_id)

    def _grant(self, transactional_id: str, producer_id: int) -> None:
        owner = self._owners.setdefault(producer_id, transactional_id)
        if owner != transactional_id:
            raise Violation(f"{producer_id} is granted to {owner} and to {transactional_id}")
        granted = self._granted.setdefault(transactional_id, [])
        if producer_id not in granted:
            granted.append(producer_id)

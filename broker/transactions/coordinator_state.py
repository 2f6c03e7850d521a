"""The transactional ids of one partition, as the records of its log add up to."""

from __future__ import annotations

import logging

from broker.coordinators.coordinator_record import CoordinatorRecordSerde, RawRecord
from broker.transactions.log_records import TransactionLogKey, TransactionLogValue, value_of
from broker.transactions.metadata import TransactionMetadata
from broker.transactions.transitions import completed
from protocol.codec import Malformed

log = logging.getLogger("antechamber.transactions")


_VERSIONS = range(2)  # of TransactionLogValue
_VERSION_BYTES = 2


class CoordinatorState:
    """The transactional ids by name; the last record of each determines its value.

    ``prepared`` are those whose outcome is decided: their markers are to be sent.
    """

    def __init__(self, serde: CoordinatorRecordSerde) -> None:
        self.entries: dict[str, TransactionMetadata] = {}
        self.prepared: dict[str, TransactionMetadata] = {}
        self._serde = serde

    def load(self, raw: RawRecord, now_wall_ms: int) -> None:
        """Apply a record of the log; raises `Malformed`.

        Records of an unknown type or version are skipped with a warning
        (``TransactionStateManager.loadTransactionMetadata``).
        """
        record = None
        if not self._has_unknown_version(raw):
            record = self._serde.deserialize(raw)
        if record is None:
            log.warning("a record of an unknown type or version at offset %d", raw.offset)
            return
        key, value = record.key, record.value
        assert isinstance(key, TransactionLogKey)
        self.remove(key.transactional_id)
        if value is None:
            return
        assert isinstance(value, TransactionLogValue)
        try:
            loaded = TransactionMetadata(key.transactional_id, value_of(value))
        except ValueError as error:
            raise Malformed(str(error)) from error
        self.entries[key.transactional_id] = loaded
        if loaded.value.state.is_prepared:
            loaded.pending = completed(loaded.value, now_wall_ms)
            loaded.without_marker = set(loaded.value.partitions)
            self.prepared[key.transactional_id] = loaded

    def remove(self, transactional_id: str) -> None:
        """Remove an id, if it is there."""
        self.entries.pop(transactional_id, None)
        self.prepared.pop(transactional_id, None)

    def begin_unreplicated(self) -> None:
        """See `CoordinatorPlayback`; only groups distinguish these records."""

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """The topic has no transactional records, so a marker in it has no effect."""

    def _has_unknown_version(self, raw: RawRecord) -> bool:
        if raw.value is None or len(raw.value) < _VERSION_BYTES:
            return False
        return int.from_bytes(raw.value[:2], "big", signed=True) not in _VERSIONS

"""Reports the calls of share partitions and persisters to the ledger, and logged exceptions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from broker.share.acknowledgement import Acknowledgement
from broker.share.acquisition import AcquiredRecords, AcquireMode
from broker.share.fetched_batches import FetchedBatch
from broker.share.persister import PersisterResult, ReadResult, StateWrite
from broker.share.share_partition import PartitionState, SharePartition
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.network_persister import NetworkPersister
from protocol.errors import ErrorCode
from tests.simulation.replaced import replaced
from tests.simulation.share_groups.ledger import Ledger
from tests.simulation.violation import Violation

Log = Callable[[str], None]


class _Logs(logging.Handler):
    """Adds the broker's warnings to the history; an exception among them is a violation."""

    def __init__(self, log: Log, broken: Callable[[Violation], None]) -> None:
        super().__init__(logging.INFO)
        self._log = log
        self._broken = broken

    def emit(self, record: logging.LogRecord) -> None:
        self._log(f"    {record.getMessage()}")
        if record.exc_info:
            error = record.exc_info[1]
            is_found = isinstance(error, Violation)
            found = error if is_found else Violation(f"an exception was logged: {error!r}")
            assert isinstance(found, Violation)
            self._broken(found)


@contextmanager
def watched(ledger: Ledger, log: Log, broken: Callable[[Violation], None]) -> Iterator[None]:
    """Report all calls inside; *broken* gets violations that the broker contains."""
    logs = _Logs(log, broken)
    logging.getLogger().addHandler(logs)
    try:
        with ExitStack() as patches:
            for each in (_initializations, _acquisitions, _acknowledgements, _releases):
                patches.enter_context(each(ledger, log))
            patches.enter_context(_writes(ledger))
            patches.enter_context(_reads(ledger))
            yield
    finally:
        logging.getLogger().removeHandler(logs)


def _described(share_partition: SharePartition) -> str:
    key = share_partition.key
    return f"{key.partition} (leader epoch {share_partition.leader_epoch})"


def _initializations(ledger: Ledger, log: Log) -> AbstractContextManager[object]:
    initialize = SharePartition.initialize

    def patched(self: SharePartition, reset: Any, done: Any) -> None:
        def ended(error: ErrorCode, message: str | None) -> None:
            if not error:
                ledger.initialized(self)
            stored = " ".join(
                f"{run.first}-{run.last} {run.state.name} #{run.delivery_count}"
                for run in self.records.window.runs()
            )
            start = self.records.start_offset
            log(f"    {_described(self)} initialized: {error.name} from {start}: {stored}")
            done(error, message)

        initialize(self, reset, ended)

    return replaced(SharePartition, SharePartition.initialize)(patched)


def _acquisitions(ledger: Ledger, log: Log) -> AbstractContextManager[object]:
    acquire = SharePartition.acquire

    def patched(
        self: SharePartition,
        member_id: str,
        fetch_offset: int,
        batches: Sequence[FetchedBatch],
        max_records: int,
        batch_size: int,
        mode: AcquireMode,
        aborted: Sequence[tuple[int, int]] = (),
    ) -> list[AcquiredRecords]:
        limits = (max_records, batch_size, mode)
        acquired = acquire(self, member_id, fetch_offset, batches, *limits, aborted)
        if acquired:
            text = " ".join(f"{first}-{last}#{count}" for first, last, count in acquired)
            log(f"    {_described(self)}: {member_id} acquires {text}")
            ledger.acquired(self, member_id, acquired)
        return acquired

    return replaced(SharePartition, SharePartition.acquire)(patched)


def _acknowledgements(ledger: Ledger, log: Log) -> AbstractContextManager[object]:
    acknowledge = SharePartition.acknowledge

    def patched(
        self: SharePartition,
        member_id: str,
        acknowledgements: Sequence[Acknowledgement],
        done: Any,
    ) -> None:
        start = self.records.start_offset
        results: list[ErrorCode] = []  # of a write that ends before the call returns
        report: list[Callable[[ErrorCode], None]] = []

        def ended(error: ErrorCode, message: str | None) -> None:
            log(f"    {_described(self)}: acknowledgement of {member_id}: {error.name}")
            if report:
                report[0](error)
            else:
                results.append(error)
            done(error, message)

        acknowledge(self, member_id, acknowledgements, ended)
        report.append(ledger.acknowledging(self, member_id, acknowledgements, start))
        for error in results:
            report[0](error)

    return replaced(SharePartition, SharePartition.acknowledge)(patched)


def _releases(ledger: Ledger, log: Log) -> AbstractContextManager[object]:
    release_acquired = SharePartition.release_acquired

    def patched(self: SharePartition, member_id: str, done: Any) -> None:
        log(f"    {_described(self)}: the session of {member_id} ends")
        report: Callable[[ErrorCode], None] | None = None
        if self.state is PartitionState.ACTIVE:
            report = ledger.releasing(self, member_id)

        def ended(error: ErrorCode, message: str | None) -> None:
            if report is not None:
                report(error)
            done(error, message)

        release_acquired(self, member_id, ended)

    return replaced(SharePartition, SharePartition.release_acquired)(patched)


def _writes(ledger: Ledger) -> AbstractContextManager[object]:
    write = NetworkPersister.write

    def patched(
        self: NetworkPersister, key: SharePartitionKey, change: StateWrite, done: Any
    ) -> None:
        def ended(result: PersisterResult) -> None:
            if not result.error:
                ledger.written(key.partition, change)
            done(result)

        write(self, key, change, ended)

    return replaced(NetworkPersister, NetworkPersister.write)(patched)


def _reads(ledger: Ledger) -> AbstractContextManager[object]:
    read = NetworkPersister.read

    def patched(
        self: NetworkPersister, key: SharePartitionKey, leader_epoch: int, done: Any
    ) -> None:
        report = ledger.reading(key.partition)

        def ended(result: ReadResult) -> None:
            report(result)
            done(result)

        read(self, key, leader_epoch, ended)

    return replaced(NetworkPersister, NetworkPersister.read)(patched)

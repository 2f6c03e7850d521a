"""Finds the anomalies of a history (Adya's, as in Jepsen's Elle, and those of a log).

Kafka does not isolate transactions with different transactional ids: their records may have one
order in one partition and another order in another. That is no anomaly here. Transactions with the
same id exclude each other, so their records have one order in all partitions (ww). A transaction
that reads a value depends on the one that wrote it (wr). A read_committed read returns only values
whose commit was decided before it, and ends before the commit of its own transaction is requested;
therefore no cycle of these dependencies is possible.

A read ends at the first record of the first open transaction (the last stable offset). So it may
have one part of a committed transaction whose other part is after the first record of an open one.

A copy by transactions that also commit the offsets of the original (consume, transform, produce)
has every committed value once, in the order of the original.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise, zip_longest
from typing import NamedTuple

from integration.transactions.history import History, Outcome, Read, Transaction

# The transactions, by index, that each one depends on.
_Dependencies = dict[int, set[int]]


class Kind(Enum):
    """A kind of anomaly, with its definition."""

    G0 = "dirty write: transactions with one id have different orders in different partitions"
    G1A = "aborted read: a value of an aborted transaction was read"
    G1B = "intermediate read: a read ended within a transaction, and not before an open one"
    G1C = "circular information flow: a cycle of write and read dependencies"
    DIRTY_READ = "dirty read: a value was read before the commit of its transaction was requested"
    LOST_WRITE = "lost write: a committed or once read value is missing at the end"
    DUPLICATE = "duplicate: a value is there twice"
    UNWRITTEN = "unwritten value: a value was read that no transaction appended"
    REORDERED = "reordered: a read is not the beginning of the partition's final values"
    COPY = "inexact copy: a copied partition does not have the final values once each, in order"


class Anomaly(NamedTuple):
    """A kind, and the values and partitions that show it."""

    kind: Kind
    details: str


def anomalies(history: History) -> list[Anomaly]:
    """Return all anomalies; none for a correct history."""
    return list(_Judge(history).anomalies())


class _Judge:
    """The history with its indexes."""

    def __init__(self, history: History) -> None:
        self._transactions = history.transactions
        self._final = history.final
        self._log = history.log
        self._copies = history.copies
        self._writers = {
            append.value: index
            for index, transaction in enumerate(history.transactions)
            for append in transaction.appends
        }
        self._final_reads = [Read(key, values) for key, values in sorted(history.final.items())]
        self._reads = [
            (index, read)
            for index, transaction in enumerate(history.transactions)
            for read in transaction.reads
        ]
        seen = {value for _, read in self._reads for value in read.values}
        seen.update(value for read in self._final_reads for value in read.values)
        self._seen = {self._writers[value] for value in seen if value in self._writers}

    def anomalies(self) -> Iterator[Anomaly]:
        for read in (*(read for _, read in self._reads), *self._final_reads):
            yield from self._of_values(read)
            yield from self._intermediate(read)
        for _, read in self._reads:
            yield from self._dirty(read)
            yield from self._order(read)
        yield from self._lost()
        yield from self._inexact_copies()
        yield from self._cycles()

    def _is_committed(self, index: int) -> bool:
        """Whether a commit was acknowledged, or a value read of one with an unknown outcome."""
        outcome = self._transactions[index].outcome
        return outcome is Outcome.COMMITTED or (outcome is Outcome.UNKNOWN and index in self._seen)

    def _written(self, read: Read) -> Iterator[tuple[int, Transaction]]:
        """The values of a read that a transaction appended, with the transaction."""
        for value in read.values:
            if value in self._writers:
                yield value, self._transactions[self._writers[value]]

    # ---------------------------------------------------------------------------- single reads

    def _of_values(self, read: Read) -> Iterator[Anomaly]:
        where = f"partition {read.partition}"
        for value, count in Counter(read.values).items():
            if count > 1:
                yield Anomaly(Kind.DUPLICATE, f"{where}: {value} {count} times")
            if value not in self._writers:
                yield Anomaly(Kind.UNWRITTEN, f"{where}: {value}")
        for value, writer in self._written(read):
            if writer.outcome is Outcome.ABORTED:
                yield Anomaly(Kind.G1A, f"{where}: {value} of {writer.transactional_id}")

    def _intermediate(self, read: Read) -> Iterator[Anomaly]:
        """Check that the unread part of the log can begin with the first record of a transaction.

        Where exactly it begins is unknown: after the last value that was read, and at the latest at
        the next committed one.
        """
        final = self._final.get(read.partition, ())
        log = self._log.get(read.partition, ())
        count = len(read.values)
        if final[:count] != read.values or count == len(final):
            return
        begin = log.index(read.values[-1]) + 1 if read.values else 0
        unread = log[begin : log.index(final[count]) + 1]
        if not any(self._is_first(value, log) for value in unread):
            yield Anomaly(Kind.G1B, f"partition {read.partition}: before {final[count]}")

    def _is_first(self, value: int, log: Sequence[int]) -> bool:
        """Whether the value is the first one of its transaction in a partition."""
        writer = self._writers.get(value)
        if writer is None:
            return True
        values = {each.value for each in self._transactions[writer].appends}
        return next(each for each in log if each in values) == value

    def _dirty(self, read: Read) -> Iterator[Anomaly]:
        for value, writer in self._written(read):
            if read.ended < writer.commit_requested and writer.outcome is not Outcome.ABORTED:
                yield Anomaly(Kind.DIRTY_READ, f"partition {read.partition}: {value}")

    def _order(self, read: Read) -> Iterator[Anomaly]:
        final = self._final.get(read.partition, ())
        if final[: len(read.values)] != read.values:
            yield Anomaly(Kind.REORDERED, f"partition {read.partition}: {read.values[-5:]}")

    # ------------------------------------------------------------------------------ all values

    def _lost(self) -> Iterator[Anomaly]:
        for index, transaction in enumerate(self._transactions):
            if not self._is_committed(index):
                continue
            for append in transaction.appends:
                if append.value not in self._final.get(append.partition, ()):
                    outcome = transaction.outcome.name.lower()
                    where = f"partition {append.partition}: {append.value}"
                    yield Anomaly(Kind.LOST_WRITE, f"{where} of a transaction {outcome}")

    def _inexact_copies(self) -> Iterator[Anomaly]:
        for name, copy in self._copies.items():
            for partition, values in self._final.items():
                copied = copy.get(partition, ())
                if copied != values:
                    pairs = enumerate(zip_longest(values, copied))
                    at, (value, other) = next(each for each in pairs if each[1][0] != each[1][1])
                    details = f"{name}, partition {partition}: {other}, not {value}, at {at}"
                    yield Anomaly(Kind.COPY, details)

    def _cycles(self) -> Iterator[Anomaly]:
        writes = self._write_dependencies()
        if cycle := _cycle(writes):
            yield Anomaly(Kind.G0, self._described(cycle))
            return
        for index, read in self._reads:
            if self._is_committed(index):
                writers = {self._writers[value] for value, _ in self._written(read)}
                writes[index] |= {each for each in writers if self._is_committed(each)}
        if cycle := _cycle(writes):
            yield Anomaly(Kind.G1C, self._described(cycle))

    def _write_dependencies(self) -> _Dependencies:
        """The order of transactions with the same id in each partition."""
        dependencies: _Dependencies = defaultdict(set)
        for values in self._final.values():
            of_id: dict[str, list[int]] = defaultdict(list)
            for value in values:
                if value in self._writers and self._is_committed(self._writers[value]):
                    index = self._writers[value]
                    of_id[self._transactions[index].transactional_id].append(index)
            for indexes in of_id.values():
                for before, after in pairwise(indexes):
                    if before != after:
                        dependencies[after].add(before)
        return dependencies

    def _described(self, cycle: list[int]) -> str:
        return " <- ".join(
            f"{self._transactions[index].transactional_id}"
            f"{[each.value for each in self._transactions[index].appends]}"
            for index in cycle
        )


def _cycle(dependencies: Mapping[int, set[int]]) -> list[int]:
    """A cycle, its first member repeated at the end; empty without one."""
    for index, others in dependencies.items():
        if index in others:
            return [index, index]
    try:
        TopologicalSorter(dependencies).prepare()
    except CycleError as error:
        cycle: list[int] = error.args[1]
        return cycle
    return []

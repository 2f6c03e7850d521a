"""The history of a run: what each transaction appended and read, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from math import inf

# The values of each partition.
Values = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True)
class Append:
    """A record with a value that no other record has."""

    partition: int
    value: int


@dataclass(frozen=True)
class Read:
    """All values of a partition up to the last stable offset, by a read_committed consumer.

    ``ended``: a monotonic time, in seconds, after the last value was received.
    """

    partition: int
    values: tuple[int, ...]
    ended: float = 0.0


class Outcome(Enum):
    """How a transaction ended, as far as its client knows.

    ``COMMITTED``: the commit was acknowledged. ``ABORTED``: it was aborted, or fenced before the
    commit was requested. ``UNKNOWN``: the commit was requested and has no result.
    """

    COMMITTED = auto()
    ABORTED = auto()
    UNKNOWN = auto()


@dataclass(frozen=True)
class Transaction:
    """A transaction; those with the same ``transactional_id`` exclude each other.

    ``commit_requested``: a monotonic time, in seconds, before the request; infinite without one.
    """

    transactional_id: str
    operations: tuple[Append | Read, ...]
    outcome: Outcome
    commit_requested: float = inf

    @property
    def appends(self) -> list[Append]:
        """The appends, in order."""
        return [each for each in self.operations if isinstance(each, Append)]

    @property
    def reads(self) -> list[Read]:
        """The reads, in order."""
        return [each for each in self.operations if isinstance(each, Read)]


@dataclass(frozen=True)
class History:
    """All transactions, and the values of each partition when all have ended.

    ``final`` has the committed values, ``log`` also those of aborted transactions, in the same
    order. ``copies`` are the committed values of topics into which other transactions have copied
    all partitions, by name of the topic.
    """

    transactions: tuple[Transaction, ...]
    final: Values
    log: Values
    copies: Mapping[str, Values] = field(default_factory=dict)

"""What a parked request waits for, described by the code that parks it.

    handler --> request.park(operation, wait)
                                          |
                      the recorder <------+------> the admin interface
The recorder reads it when the request is parked and when it is completed, the admin interface while
the request is parked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from mypy_extensions import mypyc_attr

from broker.common.topic_partition import TopicPartition
from broker.wait_records.causes import Cause

# Values that JSON can hold.
Facts = dict[str, Any]


def name_transaction(transaction: Facts, transactional_id: Callable[[int], str | None]) -> None:
    """Add the transactional id to the facts of a transaction; None if no coordinator has it.

    The log of a partition has only the producer id, *transactional_id* knows its id.
    """
    transaction["transactional_id"] = transactional_id(transaction["producer_id"])


class WaitPartition(NamedTuple):
    """A partition of a parked request.

    ``offset`` is the base offset of a produce, the start of a fetch, or the offset before which
    records are deleted; ``error`` is 0 unless the partition has failed.
    """

    key: TopicPartition
    offset: int
    error: int


@mypyc_attr(allow_interpreted_subclasses=True)
class Wait(ABC):
    """Describes the wait of one request.

    ``purgatory`` is one of the names in docs/reference/records.md. The defaults are those of a
    wait without an operation and without partitions.
    """

    __slots__ = ()
    purgatory: str
    # Whether another node waits, whose fetch replicates from this one.
    is_follower = False
    # Whether the connection is not read, so that a disconnect remains unknown.
    stops_reading = False
    # Whether the handler continues after the wait, in the slices of a long request.
    is_within_work = False

    @property
    def timeout_ms(self) -> int | None:
        """The longest wait; None: no limit."""
        return None

    @property
    def checks(self) -> int:
        """How many times the condition has been checked."""
        return 0

    def observe(self, on_check: Callable[[Cause], object]) -> None:  # noqa: B027 - without checks
        """Call *on_check* with the event of each later check, before the check."""

    def remaining_ms(self, _now_ms: float) -> int | None:
        """What is left of the timeout; None: no limit, or it may still be extended."""
        return None

    @abstractmethod
    def condition(self) -> Facts | None:
        """What is missing now: ``kind`` and, where they can be counted, ``need`` and ``had``.

        ``transaction`` has the transaction that is waited for, without its transactional id.

        None: nothing is missing any more.
        """

    @abstractmethod
    def cause(self, present: Callable[[], Cause]) -> Cause | None:
        """What has completed the wait, called at that time; None if that is not known.

        *present* returns the cause of whatever completes now.
        """

    def release(self) -> None:  # noqa: B027 - without an operation
        """Free what only the wait needed: the request is complete, and its record as well."""

    def partitions(self) -> Iterable[WaitPartition]:
        """The partitions, those that have failed included."""
        return ()

    def partition_facts(self) -> Iterable[Facts]:
        """Each partition as docs/reference/admin.md lists it."""
        return ()

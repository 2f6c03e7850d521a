"""How many records of a batch are delivered together after failed deliveries.

A batch that has been delivered often may have one record that no member can process. From half of
the limit on, each delivery has at most half as many records as the one before; the last delivery of
a record is of this record alone, so that a bad record does not archive its neighbours.

    limit 5, batch of 10      #1: 10 records   #2: 10   #3: 10   #4: 5   #5: 1
"""

from __future__ import annotations

from typing import Final

from broker.share.in_flight_batch import InFlightBatch

_LIMIT_WITHOUT_LAST: Final = 2  # a limit of two has no delivery alone


class DeliveryThrottle:
    """The rules for one value of the delivery count limit."""

    __slots__ = ("_from_count", "_limit")

    def __init__(self, delivery_count_limit: int) -> None:
        self._limit = delivery_count_limit
        self._from_count = max(2, (delivery_count_limit + 1) // 2)

    def applies(self, batch: InFlightBatch, first: int, last: int) -> bool:
        """Whether an available record from *first* to *last* has been delivered often."""
        return any(
            run.is_available and run.delivery_count >= self._from_count
            for run in batch.runs_touching(first, last)
        )

    def most_together(self, batch: InFlightBatch, delivery_count: int) -> int | None:
        """How many records may be delivered with one of *delivery_count*; None: any number."""
        excess = delivery_count - self._from_count + 1
        return max(1, len(batch) >> excess) if excess > 0 else None

    def is_last(self, delivery_count: int) -> bool:
        """Whether the next delivery is the last one, which is of the record alone."""
        return self._limit > _LIMIT_WITHOUT_LAST and delivery_count == self._limit - 1

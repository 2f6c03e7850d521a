"""Merges the batches of a share partition with changed ones (``PersisterStateBatchCombiner``).

Batches may overlap. Where they do, the one with the higher delivery count applies, and of equal
counts the one with the higher delivery state. The result has no overlaps, and no two neighbours
that could be one batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import Final

from broker.share.persister import UNINITIALIZED_START_OFFSET, PersisterStateBatch

Batches = tuple[PersisterStateBatch, ...]

_OFFSET_MIN: Final = -(2**63)


def merged(
    before: Iterable[PersisterStateBatch], changed: Iterable[PersisterStateBatch], start_offset: int
) -> Batches:
    """The batches of *before* and *changed* from *start_offset* on; -1 keeps all of them."""
    first = _OFFSET_MIN if start_offset == UNINITIALIZED_START_OFFSET else start_offset
    batches = [
        each if each.first_offset >= first else each._replace(first_offset=first)
        for each in (*before, *changed)
        if max(each.first_offset, first) <= each.last_offset
    ]
    return _joined(_without_overlaps(batches))


def _without_overlaps(batches: list[PersisterStateBatch]) -> list[PersisterStateBatch]:
    """Split the batches where they overlap, and drop the parts that do not apply."""
    heapify(batches)
    result: list[PersisterStateBatch] = []
    while batches:
        batch = heappop(batches)
        if not batches or batch.last_offset < batches[0].first_offset:
            result.append(batch)
            continue
        other = heappop(batches)
        if batch.first_offset < other.first_offset:
            result.append(batch._replace(last_offset=other.first_offset - 1))
            batch = batch._replace(first_offset=other.first_offset)
        # Both begin at the same offset now.
        common_end = min(batch.last_offset, other.last_offset)
        winner = max(batch, other, key=_precedence)
        heappush(batches, winner._replace(last_offset=common_end))
        for each in (batch, other):
            if each.last_offset > common_end:
                heappush(batches, each._replace(first_offset=common_end + 1))
    return result


def _precedence(batch: PersisterStateBatch) -> tuple[int, int]:
    return batch.delivery_count, batch.delivery_state


def _joined(batches: list[PersisterStateBatch]) -> Batches:
    """Join neighbours with the same state and count."""
    result: list[PersisterStateBatch] = []
    for batch in batches:
        last = result[-1] if result else None
        if (
            last is not None
            and last.last_offset + 1 == batch.first_offset
            and _precedence(last) == _precedence(batch)
        ):
            result[-1] = last._replace(last_offset=batch.last_offset)
        else:
            result.append(batch)
    return tuple(result)

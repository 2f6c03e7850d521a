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

# First offset, last offset, delivery state and delivery count, in the order in which they overlap.
_Parts = tuple[int, int, int, int]

_OFFSET_MIN: Final = -(2**63)


def merged(
    before: Iterable[PersisterStateBatch], changed: Iterable[PersisterStateBatch], start_offset: int
) -> Batches:
    """The batches of *before* and *changed* from *start_offset* on; -1 keeps all of them."""
    first = _OFFSET_MIN if start_offset == UNINITIALIZED_START_OFFSET else start_offset
    batches = [
        each if each.first_offset >= first else _part(each, first, each.last_offset)
        for each in (*before, *changed)
        if each.first_offset <= each.last_offset and first <= each.last_offset
    ]
    return _joined(batches if _are_in_order(batches) else _without_overlaps(batches))


def _part(batch: PersisterStateBatch, first: int, last: int) -> PersisterStateBatch:
    return PersisterStateBatch(first, last, batch.delivery_state, batch.delivery_count)


def _are_in_order(batches: list[PersisterStateBatch]) -> bool:
    """Whether each of *batches* is after the one before it, as nearly always."""
    position = _OFFSET_MIN
    for each in batches:
        if each.first_offset < position:
            return False
        position = each.last_offset + 1
    return True


def _without_overlaps(batches: list[PersisterStateBatch]) -> list[PersisterStateBatch]:
    """Split the batches where they overlap, and drop the parts that do not apply."""
    heap: list[_Parts] = [
        (each.first_offset, each.last_offset, each.delivery_state, each.delivery_count)
        for each in batches
    ]
    heapify(heap)
    result: list[PersisterStateBatch] = []
    while heap:
        first, last, state, count = heappop(heap)
        if not heap or last < heap[0][0]:
            result.append(PersisterStateBatch(first, last, state, count))
            continue
        other = heappop(heap)
        if first < other[0]:
            result.append(PersisterStateBatch(first, other[0] - 1, state, count))
            first = other[0]
        # Both begin at the same offset now.
        common_end = min(last, other[1])
        _, _, *applied = max((first, last, state, count), other, key=_precedence)
        heappush(heap, (first, common_end, applied[0], applied[1]))
        for each in ((first, last, state, count), other):
            if each[1] > common_end:
                heappush(heap, (common_end + 1, each[1], each[2], each[3]))
    return result


def _precedence(parts: _Parts) -> tuple[int, int]:
    return parts[3], parts[2]


def _joined(batches: list[PersisterStateBatch]) -> Batches:
    """Join neighbours with the same state and count."""
    result: list[PersisterStateBatch] = []
    for batch in batches:
        last = result[-1] if result else None
        if (
            last is not None
            and last.last_offset + 1 == batch.first_offset
            and last.delivery_count == batch.delivery_count
            and last.delivery_state == batch.delivery_state
        ):
            result[-1] = _part(last, last.first_offset, batch.last_offset)
        else:
            result.append(batch)
    return tuple(result)

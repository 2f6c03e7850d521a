"""A priority queue that returns items of equal priority in the order of Java's ``PriorityQueue``.

Kafka's assignors select processes and members with it. `heapq` returns equal items in another
order, because its ``heappop`` moves the last item to a leaf before it moves it up.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class JavaPriorityQueue(Generic[T]):
    """Items with priorities that do not change; the smallest priority is first."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, T]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, priority: float, item: T) -> None:
        """Add an item."""
        heap, at = self._heap, len(self._heap)
        entry = (priority, item)
        heap.append(entry)
        while at > 0:
            parent = (at - 1) // 2
            if priority >= heap[parent][0]:
                break
            heap[at] = heap[parent]
            at = parent
        heap[at] = entry

    def poll(self) -> T:
        """Remove and return the first item; raises IndexError if the queue is empty."""
        heap = self._heap
        last = heap.pop()
        if not heap:
            return last[1]
        first = heap[0][1]
        self._place_from_root(last)
        return first

    def _place_from_root(self, entry: tuple[float, T]) -> None:
        """Replace the root with *entry*, and move it down to its place."""
        heap, at = self._heap, 0
        while at < len(heap) // 2:
            child = 2 * at + 1
            right = child + 1
            if right < len(heap) and heap[child][0] > heap[right][0]:
                child = right
            if entry[0] <= heap[child][0]:
                break
            heap[at] = heap[child]
            at = child
        heap[at] = entry

"""A priority queue with the order of Java's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.common.java_priority_queue import JavaPriorityQueue


def polled(*entries: tuple[float, str]) -> str:
    """The items in the order in which the queue returns them."""
    queue: JavaPriorityQueue[str] = JavaPriorityQueue()
    for priority, item in entries:
        queue.add(priority, item)
    return "".join(queue.poll() for _ in range(len(queue)))


@given(st.lists(st.integers(0, 9)))
def test_items_are_returned_by_priority(priorities: list[int]) -> None:
    """The smallest priority is first."""
    queue: JavaPriorityQueue[int] = JavaPriorityQueue()
    for priority in priorities:
        queue.add(priority, priority)

    assert [queue.poll() for _ in priorities] == sorted(priorities)


def test_equal_items_have_the_order_of_javas_heap() -> None:
    """The last item replaces the first one, so it overtakes the items between them."""
    assert polled((1, "a"), (1, "b"), (1, "c"), (1, "d")) == "adcb"


def test_an_equal_item_that_is_added_stays_below() -> None:
    """It does not overtake its parent in the heap."""
    assert polled((1, "a"), (1, "b")) == "ab"

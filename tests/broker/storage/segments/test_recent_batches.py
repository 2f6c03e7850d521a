"""Tests of the positions of the latest batches: `broker.storage.segments.recent_batches`."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from broker.storage.segments.recent_batches import RECENT_MAX, RecentBatches


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(61, 70)), max_size=40), st.data())
def test_every_batch_is_found_by_each_of_its_offsets(
    batches: list[tuple[int, int]], data: st.DataObject
) -> None:
    """With its position and size; there is none after the last."""
    recent, offset, position = RecentBatches(100), 100, 0
    where = {}
    for count, size in batches:
        where.update(dict.fromkeys(range(offset, offset + count), (position, size)))
        recent.add(offset + count - 1, position)
        offset, position = offset + count, position + size
    assert {each: recent.locate(each, position) for each in where} == where
    assert recent.locate(offset, position) is None


def test_the_number_of_batches_is_limited() -> None:
    """`from_offset` rises."""
    recent = RecentBatches(0)
    for number in range(10 * RECENT_MAX):
        recent.add(number, number * 61)
    assert 10 * RECENT_MAX - recent.from_offset <= RECENT_MAX
    assert recent.locate(recent.from_offset, 10 * RECENT_MAX * 61) == (recent.from_offset * 61, 61)

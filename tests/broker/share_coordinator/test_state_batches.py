"""Merged batches: overlaps, offsets below the start, neighbours."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from broker.share.persister import PersisterStateBatch as Batch
from broker.share_coordinator.state_batches import merged

BATCHES = st.lists(
    st.builds(
        lambda first, length, state, count: Batch(first, first + length, state, count),
        st.integers(0, 30),
        st.integers(-2, 12),
        st.sampled_from([0, 2, 4]),
        st.integers(1, 4),
    ),
    max_size=8,
)


def test_the_higher_delivery_count_wins_where_batches_overlap() -> None:
    """What Kafka 4.3.1 stored after these two writes."""
    before = [Batch(5, 9, 0, 1), Batch(10, 14, 2, 1)]

    assert merged(before, [Batch(7, 11, 2, 2)], 6) == (
        Batch(6, 6, 0, 1),
        Batch(7, 11, 2, 2),
        Batch(12, 14, 2, 1),
    )


def test_a_lower_delivery_count_changes_nothing() -> None:
    """Also if its state is higher."""
    assert merged([Batch(0, 9, 0, 2)], [Batch(0, 9, 4, 1)], -1) == (Batch(0, 9, 0, 2),)


def test_neighbours_with_the_same_state_are_joined() -> None:
    """They are one batch, also if both were there before."""
    before = [Batch(0, 4, 2, 1), Batch(5, 9, 2, 1)]

    assert merged(before, [Batch(10, 10, 2, 1)], -1) == (Batch(0, 10, 2, 1),)


@given(before=BATCHES, changed=BATCHES, start=st.integers(-1, 35))
def test_each_offset_has_its_highest_count_and_state(
    before: list[Batch], changed: list[Batch], start: int
) -> None:
    """The result is sorted, without overlaps, and without neighbours that could be joined."""
    expected: dict[int, tuple[int, int]] = {}
    for batch in [*before, *changed]:
        for offset in range(max(batch.first_offset, start), batch.last_offset + 1):
            new = (batch.delivery_count, batch.delivery_state)
            expected[offset] = max(new, expected.get(offset, new))

    result = merged(before, changed, start)

    assert expected == {
        offset: (each.delivery_count, each.delivery_state)
        for each in result
        for offset in range(each.first_offset, each.last_offset + 1)
    }
    for left, right in pairwise(result):
        assert left.last_offset < right.first_offset
        is_adjacent = left.last_offset + 1 == right.first_offset
        is_same = (left.delivery_state, left.delivery_count) == (
            right.delivery_state,
            right.delivery_count,
        )
        assert not (is_adjacent and is_same)

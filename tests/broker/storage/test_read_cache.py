"""The last slice of each log: `broker.storage.read_cache`."""

from __future__ import annotations

from broker.storage.offset_metadata import LogOffsetMetadata
from broker.storage.read_cache import FetchDataInfo, LastRead, ReadCache

KEY = (0, 1, 2, 3, True)


def slice_of(size: int) -> FetchDataInfo:
    return FetchDataInfo(LogOffsetMetadata(0), bytes(size))


def test_a_slice_is_kept_for_its_key() -> None:
    """The log compares the key itself: that is the quick way."""
    cache, last = ReadCache(100), LastRead()
    cache.keep(last, KEY, slice_of(10))
    assert last.key == KEY
    assert last.data == slice_of(10)


def test_the_log_read_longest_ago_gives_way() -> None:
    """All logs share the budget."""
    cache = ReadCache(100)
    lasts = [LastRead() for _ in range(3)]
    for last in lasts:
        cache.keep(last, KEY, slice_of(40))
    assert [last.key is None for last in lasts] == [True, False, False]


def test_a_new_slice_takes_the_place_of_the_old_one() -> None:
    """A log has one, and is counted once."""
    cache = ReadCache(100)
    busy, other = LastRead(), LastRead()
    cache.keep(other, KEY, slice_of(40))
    for _ in range(10):
        cache.keep(busy, KEY, slice_of(60))
    assert other.key == KEY


def test_a_slice_beyond_the_budget_is_not_kept() -> None:
    """It would push everything else out."""
    cache, last = ReadCache(100), LastRead()
    cache.keep(last, KEY, slice_of(101))
    assert last.key is None


def test_a_dropped_slice_no_longer_counts() -> None:
    """Its log was closed, or changed where it was read."""
    cache = ReadCache(100)
    first, second = LastRead(), LastRead()
    cache.keep(first, KEY, slice_of(80))
    cache.drop(first)
    cache.keep(second, KEY, slice_of(80))
    assert (first.data, second.key) == (None, KEY)

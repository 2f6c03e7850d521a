"""Tests of the cache of the last reads: `broker.storage.segments.read_cache`."""

from __future__ import annotations

from broker.storage.segments.offset_metadata import LogOffsetMetadata
from broker.storage.segments.read_cache import FetchDataInfo, LastRead, ReadCache

KEY = (0, 1, 2, 3, True)


def slice_of(size: int) -> FetchDataInfo:
    return FetchDataInfo(LogOffsetMetadata(0), bytes(size))


def test_a_read_is_kept_with_its_key() -> None:
    """The log compares the key."""
    cache, last, data = ReadCache(100), LastRead(), slice_of(10)
    cache.keep(last, KEY, data)
    assert last.key == KEY
    assert last.data is data


def test_the_oldest_read_is_dropped_first() -> None:
    """All logs share the budget."""
    cache = ReadCache(100)
    lasts = [LastRead() for _ in range(3)]
    for last in lasts:
        cache.keep(last, KEY, slice_of(40))
    assert [last.key is None for last in lasts] == [True, False, False]


def test_a_new_read_replaces_the_old_one() -> None:
    """A log has one, which is counted once."""
    cache = ReadCache(100)
    busy, other = LastRead(), LastRead()
    cache.keep(other, KEY, slice_of(40))
    for _ in range(10):
        cache.keep(busy, KEY, slice_of(60))
    assert other.key == KEY


def test_a_read_larger_than_the_budget_is_not_kept() -> None:
    """All others would be dropped."""
    cache, last = ReadCache(100), LastRead()
    cache.keep(last, KEY, slice_of(101))
    assert last.key is None


def test_a_dropped_read_releases_its_bytes() -> None:
    """Its log was closed, or its records have changed."""
    cache = ReadCache(100)
    first, second = LastRead(), LastRead()
    cache.keep(first, KEY, slice_of(80))
    cache.drop(first)
    cache.keep(second, KEY, slice_of(80))
    assert (first.data, second.key) == (None, KEY)

"""Tests of one shard."""

from __future__ import annotations

from purgatories.watcher_list import WatcherList
from tests.purgatories.manual_clock import MockOperation


def _watchers_of(shard: WatcherList[MockOperation], key: str) -> list[MockOperation]:
    return list(shard.watchers_by_key[key].operations)


def test_key_is_made_by_the_first_and_shared_by_all() -> None:
    """Operations on the same key share one list."""
    shard = WatcherList[MockOperation]()
    operations = [MockOperation(), MockOperation()]
    for operation in operations:
        shard.watch("a", operation)
    assert _watchers_of(shard, "a") == operations
    assert [key for key, _ in shard.all_watchers()] == ["a"]


def test_key_with_an_operation_is_kept() -> None:
    """A key with a new operation is kept, even if its list was found empty before."""
    shard = WatcherList[MockOperation]()
    shard.watch("a", MockOperation())
    shard.remove_key_if_empty("a", shard.watchers_by_key["a"])
    assert "a" in shard.watchers_by_key


def test_key_that_has_other_watchers_by_now_is_kept() -> None:
    """A key with new watchers is kept if the old ones are empty."""
    shard = WatcherList[MockOperation]()
    shard.watch("a", MockOperation())
    old = shard.watchers_by_key["a"]
    old.cancel()
    shard.remove_key_if_empty("a", old)
    shard.watch("a", MockOperation())
    shard.remove_key_if_empty("a", old)
    assert "a" in shard.watchers_by_key


def test_cancel_forgets_the_key() -> None:
    """Cancelling removes the key; for an unknown key it returns no operations."""
    shard = WatcherList[MockOperation]()
    operation = MockOperation()
    shard.watch("a", operation)
    assert shard.cancel_for_key("a") == [operation]
    assert shard.cancel_for_key("a") == []

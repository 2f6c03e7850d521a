"""The cache of fetch sessions (mirrors Kafka's FetchSessionTest)."""

from __future__ import annotations

from uuid import UUID

import pytest

from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchPartition
from broker.replication.fetch_session import (
    FetchSession,
    FetchSessionCache,
    next_epoch,
)
from tests.broker.storage.logs import StillClock


@pytest.fixture
def clock() -> StillClock:
    """A clock at zero."""
    return StillClock(0)


def _session(
    cache: FetchSessionCache, partitions: int = 1, *, privileged: bool = False
) -> FetchSession | None:
    wanted = [
        FetchPartition(TopicPartition("t", index), UUID(int=0), 0, 100)
        for index in range(partitions)
    ]
    by_name = {requested.name: requested for requested in wanted}
    return cache.try_create(by_name, privileged=privileged, uses_topic_ids=False)


def test_epochs_wrap_to_one() -> None:
    """0 and -1 have special meanings."""
    assert next_epoch(0) == 1
    assert next_epoch(2**31 - 2) == 2**31 - 1
    assert next_epoch(2**31 - 1) == 1


def test_a_session_is_found_by_its_id(clock: StillClock) -> None:
    """A session has a positive id until it is removed."""
    cache = FetchSessionCache(2, clock)
    session = _session(cache)

    assert session is not None
    assert session.session_id > 0
    assert cache.get(session.session_id) is session
    cache.remove(session.session_id)
    assert cache.get(session.session_id) is None


def test_a_full_cache_of_new_sessions_is_not_evicted(clock: StillClock) -> None:
    """Sessions of the same kind are not evicted for two minutes."""
    cache = FetchSessionCache(1, clock)
    first = _session(cache)
    clock.time_ms = 120_000

    assert _session(cache, 9) is None
    assert first is not None
    assert cache.get(first.session_id) is first


def test_a_session_unused_for_two_minutes_is_evicted(clock: StillClock) -> None:
    """Any new session may replace it."""
    cache = FetchSessionCache(1, clock)
    first = _session(cache, 9)
    clock.time_ms = 120_001

    assert _session(cache) is not None
    assert first is not None
    assert cache.get(first.session_id) is None


def test_a_follower_replaces_a_consumer(clock: StillClock) -> None:
    """A follower's session has priority, whatever the consumer's age and size."""
    cache = FetchSessionCache(1, clock)
    _session(cache, 9)

    follower = _session(cache, privileged=True)

    assert follower is not None
    assert _session(cache, 99) is None


def _in_use(cache: FetchSessionCache, clock: StillClock, *sizes: int) -> list[FetchSession]:
    """Sessions of these sizes that are older than two minutes and have just been used."""
    sessions = [_session(cache, size) for size in sizes]
    clock.time_ms += 120_001
    found = [session for session in sessions if session is not None]
    for session in found:
        cache.touch(session)
    return found


def test_an_old_small_session_is_replaced_by_a_larger_one(clock: StillClock) -> None:
    """The session in use with the fewest partitions is evicted."""
    cache = FetchSessionCache(2, clock)
    small, large = _in_use(cache, clock, 1, 5)

    assert _session(cache, 3) is not None
    assert cache.get(small.session_id) is None
    assert cache.get(large.session_id) is large


def test_an_old_session_is_not_replaced_by_one_of_equal_size(clock: StillClock) -> None:
    """Otherwise clients in use would replace each other, each with a full fetch."""
    cache = FetchSessionCache(1, clock)
    (used,) = _in_use(cache, clock, 3)

    assert _session(cache, 3) is None
    assert cache.get(used.session_id) is used


def test_the_age_of_a_session_is_that_of_its_last_use(clock: StillClock) -> None:
    """It can be replaced only after a use that is two minutes after its begin."""
    cache = FetchSessionCache(1, clock)
    session = _session(cache)
    assert session is not None
    clock.time_ms = 100_000
    cache.touch(session)
    clock.time_ms = 125_000

    assert _session(cache, 9) is None


def test_no_slots_means_no_sessions(clock: StillClock) -> None:
    """A cache of size zero creates no session."""
    assert _session(FetchSessionCache(0, clock)) is None

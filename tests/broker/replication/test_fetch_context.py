"""The context of a Fetch by session id and epoch (mirrors Kafka's FetchSessionTest)."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_context import (
    FetchContext,
    IncrementalFetchContext,
    SessionError,
    new_fetch_context,
)
from broker.replication.fetch_data import (
    FetchPartition,
    LogReadResult,
    PartitionName,
    partition_name,
)
from broker.replication.fetch_session import FINAL_EPOCH, FetchSessionCache
from broker.steps.limits import ITEMS_PER_REQUEST_MAX
from protocol.errors import ErrorCode
from tests.broker.storage.logs import StillClock


@pytest.fixture
def cache() -> FetchSessionCache:
    """A cache with room for ten sessions."""
    return FetchSessionCache(10, StillClock(0))


def _wanted(*partitions: int, offset: int = 0) -> list[FetchPartition]:
    return [
        FetchPartition(TopicPartition("t", index), UUID(int=0), offset, 100) for index in partitions
    ]


Read = tuple[int, LogReadResult]


def _data(
    partition: int,
    *,
    high_watermark: int = 0,
    records: bytes = b"",
    error: ErrorCode = ErrorCode.NONE,
    diverging_epoch: tuple[int, int] | None = None,
) -> Read:
    return partition, LogReadResult(
        error,
        high_watermark,
        log_start_offset=0,
        records=records,
        diverging_epoch=diverging_epoch,
    )


def _response(context: FetchContext, *read: Read) -> tuple[int, list[int]]:
    by_index = {requested.key.partition: requested for requested in context.wanted}
    session_id, changed = context.update_and_generate_response(
        [(by_index[partition], result) for partition, result in read]
    )
    return session_id, [requested.key.partition for requested, _ in changed]


def _open(cache: FetchSessionCache, *partitions: int) -> int:
    context = new_fetch_context(
        cache, 0, 0, _wanted(*partitions), [], uses_topic_ids=False, privileged=False
    )
    session_id, _ = _response(context, *(_data(index) for index in partitions))
    return session_id


def _next(
    cache: FetchSessionCache,
    session_id: int,
    epoch: int,
    wanted: list[FetchPartition] | None = None,
    forgotten: list[PartitionName] | None = None,
) -> FetchContext:
    return new_fetch_context(
        cache,
        session_id,
        epoch,
        wanted or [],
        forgotten or [],
        uses_topic_ids=False,
        privileged=False,
    )


def test_without_a_session_the_response_has_all_partitions(cache: FetchSessionCache) -> None:
    """Session 0 with epoch -1 is a full fetch that leaves no session."""
    context = new_fetch_context(
        cache, 0, FINAL_EPOCH, _wanted(0, 1), [], uses_topic_ids=False, privileged=False
    )

    assert _response(context, _data(0), _data(1)) == (0, [0, 1])
    assert len(cache) == 0


def test_epoch_0_opens_a_session_with_a_full_response(cache: FetchSessionCache) -> None:
    """The first fetch of a session is a full one."""
    session_id = _open(cache, 0, 1)

    assert session_id > 0
    assert cache.get(session_id) is not None


def test_an_incremental_response_has_only_changed_partitions(cache: FetchSessionCache) -> None:
    """A partition changes by records, by an error, or by other offsets than last sent."""
    session_id = _open(cache, 0, 1, 2)

    context = _next(cache, session_id, 1)

    assert [requested.name for requested in context.wanted] == [("t", 0), ("t", 1), ("t", 2)]
    data = _data(0), _data(1, high_watermark=5), _data(2, records=b"x")
    assert _response(context, *data) == (session_id, [1, 2])


def test_a_partition_with_records_is_read_last_next_time(cache: FetchSessionCache) -> None:
    """It moves to the end of the order, so that no partition starves."""
    session_id = _open(cache, 0, 1)
    _response(_next(cache, session_id, 1), _data(0, records=b"x"), _data(1))

    context = _next(cache, session_id, 2)

    assert [requested.name for requested in context.wanted] == [("t", 1), ("t", 0)]


def test_the_high_watermark_is_sent_again_after_an_error(cache: FetchSessionCache) -> None:
    """It is sent although it has not changed."""
    session_id = _open(cache, 0)
    failed = _data(0, error=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert _response(_next(cache, session_id, 1), failed) == (session_id, [0])

    assert _response(_next(cache, session_id, 2), _data(0)) == (session_id, [0])


def test_the_high_watermark_is_sent_again_after_a_diverging_epoch(cache: FetchSessionCache) -> None:
    """A follower ignores the high watermark of a response that makes it truncate."""
    session_id = _open(cache, 0)
    parted = _data(0, high_watermark=5, diverging_epoch=(1, 3))
    assert _response(_next(cache, session_id, 1), parted) == (session_id, [0])

    again = _data(0, high_watermark=5)

    assert _response(_next(cache, session_id, 2), again) == (session_id, [0])
    assert _response(_next(cache, session_id, 3), again) == (session_id, [])


def test_partitions_are_added_changed_and_forgotten(cache: FetchSessionCache) -> None:
    """An incremental fetch names only changes."""
    session_id = _open(cache, 0, 1)

    context = _next(cache, session_id, 1, _wanted(1, 2, offset=7), [("t", 0)])

    offsets = [(requested.key.partition, requested.fetch_offset) for requested in context.wanted]
    assert offsets == [(1, 7), (2, 7)]


def test_forgetting_all_partitions_ends_the_session(cache: FetchSessionCache) -> None:
    """The response has session 0."""
    session_id = _open(cache, 0)

    context = _next(cache, session_id, 1, forgotten=[("t", 0)])

    assert _response(context) == (0, [])
    assert cache.get(session_id) is None


def test_the_partitions_of_the_request_that_ends_a_session_are_read(
    cache: FetchSessionCache,
) -> None:
    """A request that names and forgets the only partition of its session."""
    session_id = _open(cache, 0)

    context = _next(cache, session_id, 1, _wanted(0), forgotten=[("t", 0)])

    assert _response(context, _data(0)) == (0, [0])
    assert cache.get(session_id) is None


def test_a_session_with_too_many_partitions_ends(cache: FetchSessionCache) -> None:
    """A client could add more with each request, and each request reads all of them."""
    session_id = _open(cache, 0)
    session = cache.get(session_id)
    assert session is not None
    names: list[PartitionName] = [("t", index) for index in range(1, ITEMS_PER_REQUEST_MAX)]
    session.partitions.update(dict.fromkeys(names, session.partitions["t", 0]))
    assert isinstance(_next(cache, session_id, 1), IncrementalFetchContext)

    with pytest.raises(SessionError) as refusal:
        _next(cache, session_id, 2, _wanted(ITEMS_PER_REQUEST_MAX))

    assert refusal.value.code is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert cache.get(session_id) is None


def test_a_session_may_begin_without_partitions(cache: FetchSessionCache) -> None:
    """Later requests add them."""
    session_id = _open(cache)

    context = _next(cache, session_id, 1, _wanted(0))

    assert session_id
    assert _response(context, _data(0, high_watermark=1)) == (session_id, [0])


def test_a_refused_fetch_does_not_use_the_session(cache: FetchSessionCache) -> None:
    """A client with a wrong epoch does not keep the session in the cache."""
    session_id = _open(cache, 0)
    session = cache.get(session_id)
    assert session is not None
    session.last_used_ms = -1

    with pytest.raises(SessionError):
        _next(cache, session_id, 7)

    assert session.last_used_ms == -1


def test_an_unknown_session_is_refused(cache: FetchSessionCache) -> None:
    """The session was evicted, or never existed."""
    with pytest.raises(SessionError) as refusal:
        _next(cache, 4711, 1)

    assert refusal.value.code is ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_a_wrong_epoch_is_refused_and_the_session_survives(cache: FetchSessionCache) -> None:
    """The next request with the right epoch succeeds."""
    session_id = _open(cache, 0)

    with pytest.raises(SessionError) as refusal:
        _next(cache, session_id, 5)

    assert refusal.value.code is ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert isinstance(_next(cache, session_id, 1), IncrementalFetchContext)


def test_names_and_ids_do_not_mix(cache: FetchSessionCache) -> None:
    """A session that began with topic names cannot continue with topic ids."""
    session_id = _open(cache, 0)

    with pytest.raises(SessionError) as refusal:
        new_fetch_context(cache, session_id, 1, [], [], uses_topic_ids=True, privileged=False)

    assert refusal.value.code is ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR


def test_a_second_request_of_a_session_invalidates_the_first(
    cache: FetchSessionCache,
) -> None:
    """The response to the first one is an error."""
    session_id = _open(cache, 0)
    parked = _next(cache, session_id, 1)
    _next(cache, session_id, 2)

    with pytest.raises(SessionError):
        _response(parked, _data(0))


def test_a_new_session_ends_the_old_one(cache: FetchSessionCache) -> None:
    """A full fetch that names a session closes it, even if it does not open another."""
    first = _open(cache, 0)
    new_fetch_context(cache, first, 0, _wanted(0), [], uses_topic_ids=False, privileged=False)
    assert cache.get(first) is None

    second = _open(cache, 0)
    new_fetch_context(
        cache, second, FINAL_EPOCH, _wanted(0), [], uses_topic_ids=False, privileged=False
    )
    assert cache.get(second) is None


def test_partitions_are_identified_by_topic_id_if_present() -> None:
    """The topic id, as a number, replaces the name."""
    topic_id = uuid4()

    assert partition_name("t", UUID(int=0), 3) == ("t", 3)
    assert partition_name("", topic_id, 3) == (topic_id.int, 3)

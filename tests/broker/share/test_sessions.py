"""Share sessions: their epochs, their partitions, and their number."""

from __future__ import annotations

from uuid import UUID

import pytest

from broker.common.errors import ApiError
from broker.share.sessions import (
    SessionKey,
    ShareSession,
    ShareSessionCache,
    fetch_context,
    next_epoch,
)
from broker.share.share_partition_key import SharePartitionKey
from protocol.errors import ErrorCode

A, B = SessionKey("g", "a"), SessionKey("g", "b")
ZERO, ONE, TWO = (SharePartitionKey("g", UUID(int=1), each) for each in range(3))


class Cache(ShareSessionCache):
    """A cache of two sessions that records which of them end, and which groups."""

    def __init__(self) -> None:
        self.ended: list[str] = []
        self.empty: list[str] = []
        super().__init__(lambda: 2, self._on_end, self.empty.append)

    def _on_end(self, session: ShareSession) -> None:
        self.ended.append(session.key.member_id)

    def fetched(
        self, epoch: int, *wanted: SharePartitionKey, forgotten: tuple[SharePartitionKey, ...] = ()
    ) -> list[int]:
        """The partitions that member a fetches in a request."""
        context = fetch_context(self, A, epoch, wanted, forgotten, acknowledges=False)
        return [each.partition for each in context.to_fetch]


def _error(cache: ShareSessionCache, key: SessionKey, epoch: int) -> ErrorCode:
    with pytest.raises(ApiError) as refused:
        fetch_context(cache, key, epoch, (), (), acknowledges=False)
    return refused.value.code


def test_epochs_wrap_to_one() -> None:
    """0 opens a session, so it is not reached again."""
    assert [next_epoch(each) for each in (0, 1, 2**31 - 1)] == [1, 2, 1]


def test_partitions_are_added_and_forgotten() -> None:
    """A partition that is both named and forgotten is not fetched."""
    cache = Cache()
    assert cache.fetched(0, ZERO, ONE) == [0, 1]
    assert sorted(cache.fetched(1, TWO, forgotten=(ZERO, TWO))) == [1]


def test_the_epoch_rotates_the_partitions() -> None:
    """Each request begins with another partition."""
    cache = Cache()
    cache.fetched(0, ZERO, ONE, TWO)
    assert [cache.fetched(epoch) for epoch in (1, 2, 3)] == [[1, 2, 0], [2, 0, 1], [0, 1, 2]]


def test_a_partition_with_records_goes_to_the_end() -> None:
    """A partition that is forgotten meanwhile does not come back."""
    session = ShareSession(A)
    session.update([ZERO, ONE], [])
    session.responded([ZERO, TWO], [ZERO, TWO], [])
    assert session.to_fetch(0) == [ONE, ZERO]


def test_a_partition_with_an_error_is_named_again() -> None:
    """The next response tells that the error has ended; a forgotten one does not come back."""
    session = ShareSession(A)
    session.update([ZERO, ONE], [])
    session.responded([ZERO, ONE, TWO], [], [ONE, TWO])
    assert session.partitions == {ZERO: True, ONE: False}


def test_a_full_cache_refuses_new_members() -> None:
    """A member that has a session may open it again."""
    cache = Cache()
    cache.open(A)
    cache.open(B)
    assert _error(cache, SessionKey("g", "c"), 0) is ErrorCode.SHARE_SESSION_LIMIT_REACHED
    cache.open(A)


def test_a_group_is_empty_when_its_last_connection_closes() -> None:
    """The share partitions of the group end then."""
    cache = Cache()
    first, second = cache.open(A), cache.open(B)
    cache.closed(first)
    assert (cache.ended, cache.empty) == (["a"], [])
    cache.closed(second)
    assert (cache.ended, cache.empty) == (["a", "b"], ["g"])


def test_a_group_whose_sessions_end_is_empty_when_a_connection_closes() -> None:
    """Also if the session of that connection has ended before."""
    cache = Cache()
    session = cache.open(A)
    cache.end(session)
    assert (cache.ended, cache.empty) == (["a"], [])
    cache.closed(session)
    assert (cache.ended, cache.empty) == (["a"], ["g"])


def test_all_sessions_end() -> None:
    """As when the feature of share groups is disabled."""
    cache = Cache()
    cache.open(A), cache.open(B)
    cache.end_all()
    assert (cache.ended, cache.empty) == (["a", "b"], ["g"])
    assert cache.sessions == {}


def test_a_replaced_session_does_not_end() -> None:
    """The end of the connection that has opened it has no effect on its successor."""
    cache = Cache()
    first = cache.open(A)
    cache.open(A)
    cache.end(first)
    assert cache.ended == []
    assert A in cache.sessions


@pytest.mark.parametrize(
    ("epoch", "error"),
    [(2, ErrorCode.INVALID_SHARE_SESSION_EPOCH), (-5, ErrorCode.INVALID_SHARE_SESSION_EPOCH)],
)
def test_another_epoch_is_refused(epoch: int, error: ErrorCode) -> None:
    """The epoch that is expected does not change."""
    cache = Cache()
    cache.fetched(0, ZERO)
    assert _error(cache, A, epoch) is error
    assert cache.fetched(1) == [0]


def test_a_final_request_fetches_nothing() -> None:
    """It does not end the session by itself: first its acknowledgements are applied."""
    cache = Cache()
    cache.fetched(0, ZERO)
    assert cache.fetched(-1) == []
    assert A in cache.sessions

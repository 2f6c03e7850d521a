"""Share sessions: which partitions a member fetches from a node (KIP-932).

    epoch  0   open; replaces the session of the member, whose locks stay
           n   continue; the next request has n + 1, after 2**31 - 1 comes 1
          -1   end; everything that the member has acquired is released

ShareFetch and ShareAcknowledge share the sequence of epochs. Kafka's ``ShareSessionCache``,
``ShareSession`` and ``SharePartitionManager.newContext``. Sessions are never evicted: a full cache
refuses new ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from mypy_extensions import mypyc_attr

from broker.common.errors import ApiError
from broker.share.share_partition_key import SharePartitionKey
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

INITIAL_EPOCH: Final = 0
FINAL_EPOCH: Final = -1
_EPOCH_MAX: Final = 2**31 - 1

_new: Final = tuple.__new__


class SessionKey(NamedTuple):
    """The member of a group whose session it is."""

    group_id: str
    member_id: str


def session_key(group_id: str, member_id: str) -> SessionKey:
    """The key of a request: ``__new__`` of a NamedTuple is interpreted in all builds."""
    return _new(SessionKey, (group_id, member_id))


def next_epoch(epoch: int) -> int:
    """The epoch of the request that follows."""
    return 1 if epoch == _EPOCH_MAX else epoch + 1


class ShareSession:
    """The partitions of a member, in the order in which they are fetched.

    The value of a partition is whether a response has named it, without an error.
    """

    __slots__ = ("epoch", "key", "partitions")

    def __init__(self, key: SessionKey) -> None:
        self.key = key
        self.epoch = next_epoch(INITIAL_EPOCH)
        self.partitions: dict[SharePartitionKey, bool] = {}

    def update(
        self, added: Iterable[SharePartitionKey], forgotten: Iterable[SharePartitionKey]
    ) -> None:
        """Add and remove partitions; one that is in both is removed."""
        for each in added:
            self.partitions.setdefault(each, False)
        for each in forgotten:
            self.partitions.pop(each, None)

    def to_fetch(self, epoch: int) -> list[SharePartitionKey]:
        """The partitions in the order for the request with *epoch*, which rotates them."""
        names = list(self.partitions)
        start = epoch % len(names) if names else 0
        return names[start:] + names[:start]

    def responded(
        self,
        names: Iterable[SharePartitionKey],
        with_records: Iterable[SharePartitionKey],
        with_errors: Iterable[SharePartitionKey],
    ) -> None:
        """Note that a response has named these; those whose records it had are fetched last.

        Those *with_errors* are named again by the next response, which ends the error.
        """
        for each in names:
            if each in self.partitions:
                self.partitions[each] = True
        for each in with_errors:
            if each in self.partitions:
                self.partitions[each] = False
        for each in with_records:
            if self.partitions.pop(each, None) is not None:
                self.partitions[each] = True


@mypyc_attr(allow_interpreted_subclasses=True)
class ShareSessionCache:
    """The sessions of one node; *sessions_max* is read at each opening.

    *on_ended* is called with a session that ends. *on_group_empty* is called with a group without
    sessions when a connection closes that has opened one of them.
    """

    def __init__(
        self,
        sessions_max: Callable[[], int],
        on_ended: Callable[[ShareSession], None],
        on_group_empty: Callable[[str], None],
    ) -> None:
        self.sessions: dict[SessionKey, ShareSession] = {}
        self._sessions_max = sessions_max
        self._on_ended = on_ended
        self._on_group_empty = on_group_empty
        self._groups: Counter[str] = Counter()

    def open(self, key: SessionKey) -> ShareSession:
        """Begin a session; raises `ApiError` SHARE_SESSION_LIMIT_REACHED."""
        self.forget(key)
        if len(self.sessions) >= self._sessions_max():
            raise ApiError(ErrorCode.SHARE_SESSION_LIMIT_REACHED)
        session = self.sessions[key] = ShareSession(key)
        self._groups[key.group_id] += 1
        return session

    def resume(self, key: SessionKey, epoch: int) -> ShareSession:
        """The session for a request with *epoch*, which is not 0; that of the next is set.

        Raises `ApiError` SHARE_SESSION_NOT_FOUND or INVALID_SHARE_SESSION_EPOCH.
        """
        session = self.sessions.get(key)
        if session is None:
            raise ApiError(ErrorCode.SHARE_SESSION_NOT_FOUND)
        if epoch != FINAL_EPOCH:
            if epoch != session.epoch:
                raise ApiError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
            session.epoch = next_epoch(epoch)
        return session

    def end(self, session: ShareSession) -> None:
        """End a session, unless it has been ended or replaced."""
        if self.sessions.get(session.key) is session:
            self.forget(session.key)
            self._on_ended(session)

    def closed(self, session: ShareSession) -> None:
        """End *session*, whose connection has closed; it may have ended before.

        The final epoch alone does not end the share partitions of the group: Kafka's
        ``ShareSessionCache.ClientConnectionDisconnectListener``.
        """
        self.end(session)
        group_id = session.key.group_id
        if group_id not in self._groups:
            self._on_group_empty(group_id)

    def end_all(self) -> None:
        """End all sessions, and the share partitions of their groups."""
        for session in list(self.sessions.values()):
            self.closed(session)

    def forget(self, key: SessionKey) -> None:
        """Remove the session of a member, if there is one; its locks stay."""
        if self.sessions.pop(key, None) is not None:
            self._groups[key.group_id] -= 1
            if not self._groups[key.group_id]:
                del self._groups[key.group_id]


@dataclass(slots=True)
class FetchContext:
    """The session of one ShareFetch, and the partitions that it fetches in this order.

    ``expected_epoch`` is that of the session if no later request has come meanwhile; None if that
    does not matter.
    """

    session: ShareSession
    to_fetch: Sequence[SharePartitionKey]
    expected_epoch: int | None
    is_final: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the request opens the session."""
        return self.expected_epoch is None and not self.is_final

    @property
    def is_overtaken(self) -> bool:
        """Whether a later request of the session has come meanwhile."""
        return self.expected_epoch not in (None, self.session.epoch)


def fetch_context(
    cache: ShareSessionCache,
    key: SessionKey,
    epoch: int,
    wanted: Sequence[SharePartitionKey],
    forgotten: Sequence[SharePartitionKey],
    *,
    acknowledges: bool,
    repeats: bool = False,
) -> FetchContext:
    """Resolve the session of a ShareFetch that names the partitions *wanted* and *forgotten*.

    Raises `ApiError` INVALID_REQUEST for acknowledgements before there is a session, and as
    `ShareSessionCache.open` and `ShareSessionCache.resume`. If the request *repeats* a partition, a
    new session is UNKNOWN_SERVER_ERROR as in Kafka, and the one before is gone.
    """
    if epoch == INITIAL_EPOCH:
        if acknowledges:
            raise ApiError(ErrorCode.INVALID_REQUEST)
        if repeats:
            cache.forget(key)
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        session = cache.open(key)
        session.update(wanted, ())
        session.responded(wanted, (), ())  # later responses do not name them without news
        return FetchContext(session, session.to_fetch(epoch), None)
    session = cache.resume(key, epoch)
    if epoch == FINAL_EPOCH:
        return FetchContext(session, (), None, is_final=True)
    session.update(wanted, forgotten)
    return FetchContext(session, session.to_fetch(epoch), session.epoch)

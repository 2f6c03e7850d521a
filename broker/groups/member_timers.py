"""The timeouts of members of consumer, share and streams groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple

from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.time_limits import EXPIRATION_RETRY_BACKOFF_MS, MemberTimeout

# Removes a member of a group for a reason.
Expire = Callable[[str, str, str], None]


class Timeout(Enum):
    """The kinds of timeouts."""

    SESSION = "session"
    REBALANCE = "rebalance"
    # Only of members of consumer groups that use the classic protocol.
    JOIN = "join"
    SYNC = "sync"


class TimeoutKey(NamedTuple):
    """The key of a timeout."""

    group_id: str
    member_id: str
    timeout: Timeout


class MemberTimers:
    """Schedules the timeouts of members; *expire* is called when one has passed."""

    def __init__(self, timer: CoordinatorTimer, expire: Expire) -> None:
        self._timer = timer
        self._expire = expire

    def restart_session(self, group_id: str, member_id: str, duration_ms: int) -> None:
        """Restart the session of a member."""
        why = "its session expired"
        self.schedule(Timeout.SESSION, group_id, member_id, duration_ms, why)

    def retry_expiration(self, group_id: str, member_id: str, why: str) -> None:
        """Retry the removal of a member soon, unless it sends a heartbeat before that."""
        self.schedule(Timeout.SESSION, group_id, member_id, EXPIRATION_RETRY_BACKOFF_MS, why)

    def schedule_rebalance(
        self,
        group_id: str,
        member_id: str,
        epoch: int,
        duration_ms: int,
        is_in_epoch: Callable[[], bool],
    ) -> None:
        """Schedule the rebalance timeout of a member that must leave *epoch*.

        *is_in_epoch* returns, when the timeout has passed, whether the member has not left it.
        """

        def expire() -> None:
            if is_in_epoch():
                self._expire(group_id, member_id, f"it did not leave epoch {epoch} in time")

        self._timer.schedule(
            TimeoutKey(group_id, member_id, Timeout.REBALANCE), duration_ms, expire
        )

    def schedule(
        self, timeout: Timeout, group_id: str, member_id: str, duration_ms: int, why: str
    ) -> None:
        """Schedule a timeout, in place of the one of its kind that the member has."""
        self._timer.schedule(
            TimeoutKey(group_id, member_id, timeout),
            duration_ms,
            lambda: self._expire(group_id, member_id, why),
        )

    def cancel(self, timeout: Timeout, group_id: str, member_id: str) -> None:
        """Cancel a timeout of a member, if it is scheduled."""
        self._timer.cancel(TimeoutKey(group_id, member_id, timeout))

    def cancel_all(self, group_id: str, member_id: str) -> None:
        """Cancel all timeouts of a removed member."""
        for timeout in Timeout:
            self.cancel(timeout, group_id, member_id)


def member_timeouts(timer: CoordinatorTimer) -> Iterator[MemberTimeout]:
    """The timeouts of members of all groups."""
    for key, task in timer.scheduled():
        if isinstance(key, TimeoutKey):
            yield MemberTimeout(
                key.group_id,
                key.member_id,
                key.timeout.value,
                int(task.delay_ms),
                task.expiration_ms,
            )

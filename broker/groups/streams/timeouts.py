"""The timeouts of members of streams groups, and the initial delay of the groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple

from broker.config.groups import (
    STREAMS_INITIAL_REBALANCE_DELAY,
    STREAMS_SESSION_TIMEOUT,
    GroupConfigs,
)
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.streams.current_assignment import MemberState
from broker.groups.streams.member import StreamsGroupMember
from broker.groups.time_limits import EXPIRATION_RETRY_BACKOFF_MS, MemberTimeout

# Removes a member of a group for a reason.
Expire = Callable[[str, str, str], None]
# Whether a member of a group is in an epoch.
IsInEpoch = Callable[[str, str, int], bool]


class _Timeout(Enum):
    SESSION = "session"
    REBALANCE = "rebalance"


class _MemberKey(NamedTuple):
    group_id: str
    member_id: str
    timeout: _Timeout


class _InitialDelayKey(NamedTuple):
    group_id: str


class StreamsTimeouts:
    """Schedules the timeouts; *expire* is called when one of a member has passed."""

    def __init__(
        self,
        timer: CoordinatorTimer,
        configs: GroupConfigs,
        expire: Expire,
        is_in_epoch: IsInEpoch,
    ) -> None:
        self._timer = timer
        self._configs = configs
        self._expire = expire
        self._is_in_epoch = is_in_epoch

    # ------------------------------------------------------------------------------ members

    def restart_session(self, group_id: str, member_id: str) -> None:
        """Restart the session of a member (``scheduleStreamsGroupSessionTimeout``)."""
        delay_ms = self._configs.number(group_id, STREAMS_SESSION_TIMEOUT)
        self._schedule_session(group_id, member_id, delay_ms, "its session expired")

    def retry_expiration(self, group_id: str, member_id: str, why: str) -> None:
        """Retry the removal of a member soon, unless it sends a heartbeat before that."""
        self._schedule_session(group_id, member_id, EXPIRATION_RETRY_BACKOFF_MS, why)

    def update_rebalance_timeout(self, group_id: str, member: StreamsGroupMember) -> None:
        """Schedule the rebalance timeout if the member must revoke tasks, else cancel it."""
        member_id, epoch = member.member_id, member.member_epoch
        key = _MemberKey(group_id, member_id, _Timeout.REBALANCE)
        if member.current.state is not MemberState.UNREVOKED_TASKS:
            self._timer.cancel(key)
            return

        def expire() -> None:
            if self._is_in_epoch(group_id, member_id, epoch):
                why = f"it did not leave epoch {epoch} in time"
                self._expire(group_id, member_id, why)

        self._timer.schedule(key, member.rebalance_timeout_ms, expire)

    def cancel_all(self, group_id: str, member_id: str) -> None:
        """Cancel the timeouts of a removed member."""
        for timeout in _Timeout:
            self._timer.cancel(_MemberKey(group_id, member_id, timeout))

    def listed(self) -> Iterator[MemberTimeout]:
        """The timeouts of all members."""
        for key, task in self._timer.scheduled():
            if isinstance(key, _MemberKey):
                yield MemberTimeout(
                    key.group_id,
                    key.member_id,
                    key.timeout.value,
                    int(task.delay_ms),
                    task.expiration_ms,
                )

    def _schedule_session(self, group_id: str, member_id: str, delay_ms: int, why: str) -> None:
        self._timer.schedule(
            _MemberKey(group_id, member_id, _Timeout.SESSION),
            delay_ms,
            lambda: self._expire(group_id, member_id, why),
        )

    # ------------------------------------------------------------------------ initial delay

    def initial_delay_ms(self, group_id: str) -> int:
        """The delay of the first assignment of a group that had no members."""
        return self._configs.number(group_id, STREAMS_INITIAL_REBALANCE_DELAY)

    def is_delayed(self, group_id: str) -> bool:
        """Whether the initial delay of a group has not passed."""
        return self._timer.is_scheduled(_InitialDelayKey(group_id))

    def begin_initial_delay(self, group_id: str, on_end: Callable[[], None]) -> None:
        """Begin the initial delay of a group, unless it has begun."""
        delay_ms = self.initial_delay_ms(group_id)
        self._timer.schedule_if_absent(_InitialDelayKey(group_id), delay_ms, on_end)

    def cancel_initial_delay(self, group_id: str) -> None:
        """Cancel the initial delay of a group that is deleted or unloaded."""
        self._timer.cancel(_InitialDelayKey(group_id))

"""When the timeouts of members of streams groups begin and end, and the groups' initial delay."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from broker.config.groups import (
    STREAMS_INITIAL_REBALANCE_DELAY,
    STREAMS_SESSION_TIMEOUT,
    GroupConfigs,
)
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.member_timers import Expire, MemberTimers, Timeout
from broker.groups.streams.current_assignment import MemberState
from broker.groups.streams.member import StreamsGroupMember

# Whether a member of a group is in an epoch.
IsInEpoch = Callable[[str, str, int], bool]


class _InitialDelayKey(NamedTuple):
    group_id: str


class StreamsTimeouts(MemberTimers):
    """The timeouts of members of streams groups, with the settings of *configs*."""

    def __init__(
        self,
        timer: CoordinatorTimer,
        configs: GroupConfigs,
        expire: Expire,
        is_in_epoch: IsInEpoch,
    ) -> None:
        super().__init__(timer, expire)
        self._configs = configs
        self._is_in_epoch = is_in_epoch

    # ------------------------------------------------------------------------------ members

    def reschedule_session(self, group_id: str, member_id: str) -> None:
        """Restart the session of a member (``scheduleStreamsGroupSessionTimeout``)."""
        duration_ms = self._configs.number(group_id, STREAMS_SESSION_TIMEOUT)
        self.restart_session(group_id, member_id, duration_ms)

    def update_rebalance_timeout(self, group_id: str, member: StreamsGroupMember) -> None:
        """Schedule the rebalance timeout if the member must revoke tasks, else cancel it."""
        member_id, epoch = member.member_id, member.member_epoch
        if member.current.state is not MemberState.UNREVOKED_TASKS:
            self.cancel(Timeout.REBALANCE, group_id, member_id)
            return
        self.schedule_rebalance(
            group_id,
            member_id,
            epoch,
            member.rebalance_timeout_ms,
            lambda: self._is_in_epoch(group_id, member_id, epoch),
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

"""When the timeouts of members of consumer groups begin and end."""

from __future__ import annotations

from collections.abc import Callable

from broker.config.groups import GroupConfigs
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.consumer.member import ConsumerGroupMember, MemberState
from broker.groups.member_timers import Expire, MemberTimers, Timeout, TimeoutKey


class Timeouts(MemberTimers):
    """The timeouts of members of consumer groups, with the settings of *configs*."""

    def __init__(self, timer: CoordinatorTimer, configs: GroupConfigs, expire: Expire) -> None:
        super().__init__(timer, expire)
        self._configs = configs

    def reschedule_session(self, group_id: str, member: ConsumerGroupMember) -> None:
        """Restart a member's session (``scheduleConsumerGroupSessionTimeout``)."""
        classic = member.classic
        duration_ms = (
            self._configs.session_timeout_ms(group_id)
            if classic is None
            else classic.session_timeout_ms
        )
        self.restart_session(group_id, member.member_id, duration_ms)

    def update_rebalance_timeout(
        self,
        group_id: str,
        member: ConsumerGroupMember,
        is_still_there: Callable[[ConsumerGroupMember], bool],
    ) -> None:
        """Schedule the rebalance timeout if the member must revoke partitions, else cancel it.

        ``is_still_there`` returns, when the timeout has passed, whether the member is in the same
        epoch.
        """
        if member.uses_classic_protocol or member.state is not MemberState.UNREVOKED_PARTITIONS:
            self.cancel(Timeout.REBALANCE, group_id, member.member_id)
            return
        self.schedule_rebalance(
            group_id,
            member.member_id,
            member.member_epoch,
            member.rebalance_timeout_ms,
            lambda: is_still_there(member),
        )

    def schedule_join(self, group_id: str, member: ConsumerGroupMember) -> None:
        """Schedule the join timeout of a classic member, unless it is scheduled."""
        key = TimeoutKey(group_id, member.member_id, Timeout.JOIN)
        self._timer.schedule_if_absent(
            key,
            member.rebalance_timeout_ms,
            lambda: self._expire(group_id, member.member_id, "it did not join in time"),
        )

    def on_joined(self, group_id: str, member: ConsumerGroupMember) -> None:
        """Schedule the sync timeout of a classic member that has joined."""
        self.cancel(Timeout.JOIN, group_id, member.member_id)
        self.reschedule_session(group_id, member)
        self.schedule(
            Timeout.SYNC,
            group_id,
            member.member_id,
            member.rebalance_timeout_ms,
            "it did not sync in time",
        )

    def on_synced(self, group_id: str, member: ConsumerGroupMember) -> None:
        """Restart the session of a classic member that has synced."""
        self.cancel(Timeout.SYNC, group_id, member.member_id)
        self.reschedule_session(group_id, member)

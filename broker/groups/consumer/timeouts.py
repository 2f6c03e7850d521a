"""The session, rebalance, join and sync timeouts of members of consumer groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple

from broker.config.groups import GroupConfigs
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.consumer.member import ConsumerGroupMember, MemberState
from broker.groups.time_limits import EXPIRATION_RETRY_BACKOFF_MS, MemberTimeout

# Removes a member of a group for a reason.
Expire = Callable[[str, str, str], None]


class Timeout(Enum):
    """The kinds of timeouts."""

    SESSION = "session"
    REBALANCE = "rebalance"
    # Only of members that use the classic protocol.
    JOIN = "join"
    SYNC = "sync"


class TimeoutKey(NamedTuple):
    """The key of a timeout."""

    group_id: str
    member_id: str
    timeout: Timeout


class Timeouts:
    """Schedules the timeouts of members; *expire* is called when one has passed."""

    def __init__(self, timer: CoordinatorTimer, configs: GroupConfigs, expire: Expire) -> None:
        self._timer = timer
        self._configs = configs
        self._expire = expire

    def reschedule_session(self, group_id: str, member: ConsumerGroupMember) -> None:
        """Restart a member's session (``scheduleConsumerGroupSessionTimeout``)."""
        classic = member.classic
        duration_ms = (
            self._configs.session_timeout_ms(group_id)
            if classic is None
            else classic.session_timeout_ms
        )
        self._schedule(
            Timeout.SESSION, group_id, member.member_id, duration_ms, "its session expired"
        )

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
        key = TimeoutKey(group_id, member.member_id, Timeout.REBALANCE)
        if member.uses_classic_protocol or member.state is not MemberState.UNREVOKED_PARTITIONS:
            self._timer.cancel(key)
            return

        def expire() -> None:
            if is_still_there(member):
                why = f"it did not leave epoch {member.member_epoch} in time"
                self._expire(group_id, member.member_id, why)

        self._timer.schedule(key, member.rebalance_timeout_ms, expire)

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
        self._timer.cancel(TimeoutKey(group_id, member.member_id, Timeout.JOIN))
        self.reschedule_session(group_id, member)
        self._schedule(
            Timeout.SYNC,
            group_id,
            member.member_id,
            member.rebalance_timeout_ms,
            "it did not sync in time",
        )

    def on_synced(self, group_id: str, member: ConsumerGroupMember) -> None:
        """Restart the session of a classic member that has synced."""
        self._timer.cancel(TimeoutKey(group_id, member.member_id, Timeout.SYNC))
        self.reschedule_session(group_id, member)

    def listed(self) -> Iterator[MemberTimeout]:
        """All of them."""
        for key, task in self._timer.scheduled():
            if isinstance(key, TimeoutKey):
                yield MemberTimeout(
                    key.group_id,
                    key.member_id,
                    key.timeout.value,
                    int(task.delay_ms),
                    task.expiration_ms,
                )

    def retry_expiration(self, group_id: str, member_id: str, why: str) -> None:
        """Retry the removal of a member soon, unless it sends a heartbeat before that."""
        self._schedule(Timeout.SESSION, group_id, member_id, EXPIRATION_RETRY_BACKOFF_MS, why)

    def cancel_all(self, group_id: str, member_id: str) -> None:
        """Cancel all timeouts of a removed member."""
        for timeout in Timeout:
            self._timer.cancel(TimeoutKey(group_id, member_id, timeout))

    def _schedule(
        self, timeout: Timeout, group_id: str, member_id: str, duration_ms: int, why: str
    ) -> None:
        self._timer.schedule(
            TimeoutKey(group_id, member_id, timeout),
            duration_ms,
            lambda: self._expire(group_id, member_id, why),
        )

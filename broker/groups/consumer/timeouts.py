"""How long members of consumer groups may be silent, and may take to give up partitions."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from broker.config.groups import GroupConfigs
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.consumer.member import ConsumerGroupMember, MemberState

# Told to throw a member out, and why.
Expire = Callable[[str, str, str], None]

# How soon an expiration that the log refused is tried again (Kafka's operation retry backoff).
EXPIRE_AGAIN_MS = 500


class Timeout(Enum):
    """What a member may be late with."""

    SESSION = "session"
    REBALANCE = "rebalance"
    # Only of members that speak the classic protocol.
    JOIN = "join"
    SYNC = "sync"


class TimeoutKey(NamedTuple):
    """Whose timeout it is."""

    group_id: str
    member_id: str
    timeout: Timeout


class Timeouts:
    """The timeouts of members of consumer groups."""

    def __init__(self, timer: CoordinatorTimer, configs: GroupConfigs, expire: Expire) -> None:
        self._timer = timer
        self._configs = configs
        self._expire = expire

    def reschedule_session(self, group_id: str, member: ConsumerGroupMember) -> None:
        """Begin a member's session anew."""
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
        """A member has something else to do: give something up in time, or nothing of the kind.

        ``is_still_there`` tells, when time is up, whether the member has not moved since.
        """
        key = TimeoutKey(group_id, member.member_id, Timeout.REBALANCE)
        if member.speaks_classic or member.state is not MemberState.UNREVOKED_PARTITIONS:
            self._timer.cancel(key)
            return

        def expire() -> None:
            if is_still_there(member):
                why = f"it did not leave epoch {member.member_epoch} in time"
                self._expire(group_id, member.member_id, why)

        self._timer.schedule(key, member.rebalance_timeout_ms, expire)

    def schedule_join(self, group_id: str, member: ConsumerGroupMember) -> None:
        """A member of the classic protocol was told to join again; once told is enough."""
        key = TimeoutKey(group_id, member.member_id, Timeout.JOIN)
        self._timer.schedule_if_absent(
            key,
            member.rebalance_timeout_ms,
            lambda: self._expire(group_id, member.member_id, "it did not join in time"),
        )

    def on_joined(self, group_id: str, member: ConsumerGroupMember) -> None:
        """A member of the classic protocol has joined, and must sync."""
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
        """A member of the classic protocol has synced."""
        self._timer.cancel(TimeoutKey(group_id, member.member_id, Timeout.SYNC))
        self.reschedule_session(group_id, member)

    def retry_expiration(self, group_id: str, member_id: str, why: str) -> None:
        """The removal of a member was not written: try again soon, unless it is heard of."""
        self._schedule(Timeout.SESSION, group_id, member_id, EXPIRE_AGAIN_MS, why)

    def cancel_all(self, group_id: str, member_id: str) -> None:
        """A member is gone."""
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

"""Tests of a member's session."""

from __future__ import annotations

from collections.abc import Callable

from purgatories.operations.delayed_heartbeat import DelayedHeartbeat


class Coordinator:
    def __init__(self) -> None:
        self.heard = False
        self.expired: list[tuple[str, str, bool]] = []

    def try_complete_heartbeat(
        self, group: str, member_id: str, is_pending: bool, force_complete: Callable[[], bool]
    ) -> bool:
        return self.heard and force_complete()

    def on_expire_heartbeat(self, group: str, member_id: str, is_pending: bool) -> None:
        self.expired.append((group, member_id, is_pending))


def test_heartbeat_completes_it() -> None:
    """A heartbeat completes the operation without a call of the coordinator."""
    coordinator = Coordinator()
    operation = DelayedHeartbeat(coordinator, "group", "member", False, 1000)
    assert not operation.try_complete()
    coordinator.heard = True
    assert operation.try_complete()
    operation.run()
    assert coordinator.expired == []


def test_expiry_reports_the_member() -> None:
    """An expiry reports the member and whether its id is pending (KIP-394)."""
    coordinator = Coordinator()
    DelayedHeartbeat(coordinator, "group", "member", False, 1000).run()
    DelayedHeartbeat(coordinator, "group", "newcomer", True, 1000).run()
    assert coordinator.expired == [("group", "member", False), ("group", "newcomer", True)]

"""A session that is kept alive or ends."""

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


def test_sign_of_life_completes_it() -> None:
    """And nobody is told."""
    coordinator = Coordinator()
    operation = DelayedHeartbeat(coordinator, "group", "member", False, 1000)
    assert not operation.try_complete()
    coordinator.heard = True
    assert operation.try_complete()
    operation.run()
    assert coordinator.expired == []


def test_silence_is_told_with_whose_it_is() -> None:
    """Of a member, or of an id that was given out (KIP-394)."""
    coordinator = Coordinator()
    DelayedHeartbeat(coordinator, "group", "member", False, 1000).run()
    DelayedHeartbeat(coordinator, "group", "newcomer", True, 1000).run()
    assert coordinator.expired == [("group", "member", False), ("group", "newcomer", True)]

"""Tests of the sync operation."""

from __future__ import annotations

from collections.abc import Callable

from purgatories.operations.delayed_sync import DelayedSync


class Coordinator:
    def __init__(self) -> None:
        self.synced = False
        self.expired: list[tuple[str, int]] = []

    def try_complete_pending_sync(
        self, group: str, generation_id: int, force_complete: Callable[[], bool]
    ) -> bool:
        return self.synced and force_complete()

    def on_expire_pending_sync(self, group: str, generation_id: int) -> None:
        self.expired.append((group, generation_id))


def test_completes_when_the_coordinator_says_so() -> None:
    """The operation completes when the coordinator says so, without another call."""
    coordinator = Coordinator()
    operation = DelayedSync(coordinator, "group", 4, 1000)
    assert not operation.try_complete()
    coordinator.synced = True
    assert operation.try_complete()
    operation.run()
    assert coordinator.expired == []


def test_expiry_reports_its_generation() -> None:
    """An expiry passes the generation, which the coordinator compares with the current one."""
    coordinator = Coordinator()
    DelayedSync(coordinator, "group", 4, 1000).run()
    assert coordinator.expired == [("group", 4)]

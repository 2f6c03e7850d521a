"""Mistakes in the code of share groups, each with the plan that detects it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.share import acknowledgement as acknowledgement_module
from broker.share import share_partition as share_partition_module
from broker.share import state_change as state_change_module
from broker.share.acquisition_lock import AcquisitionLock
from broker.share.gaps import Gaps
from broker.share.in_flight_batch import Run
from broker.share.in_flight_window import InFlightWindow
from broker.share.record_state import RecordState
from broker.share.sessions import ShareSessionCache
from broker.share.state_change import StateChange
from broker.share_coordinator.coordinator import ShareCoordinator
from broker.share_coordinator.network_persister import NetworkPersister
from protocol.errors import ErrorCode
from tests.simulation.share_groups import scenes
from tests.simulation.share_groups.plan import SharePlan

Mutate = Callable[[pytest.MonkeyPatch], None]
Scene = Callable[[int], SharePlan]
MUTANTS: dict[str, tuple[Mutate, Scene]] = {}


def mutant(scene: Scene) -> Callable[[Mutate], Mutate]:
    """Register a mutant with a plan that detects it."""

    def add(mutate: Mutate) -> Mutate:
        MUTANTS[mutate.__name__] = mutate, scene
        return mutate

    return add


@mutant(scenes.records_are_kept)
def locks_are_not_cancelled(patch: pytest.MonkeyPatch) -> None:
    def commit(self: StateChange) -> None:
        for run in self.runs:
            run.before = None

    patch.setattr(StateChange, "commit", commit)


@mutant(scenes.nothing_fails)
def deliveries_are_not_counted(patch: pytest.MonkeyPatch) -> None:
    acquire = Run.acquire

    def uncounted(self: Run, *arguments: Any) -> None:
        acquire(self, *arguments)
        self.delivery_count = max(1, self.delivery_count - 1)

    patch.setattr(Run, "acquire", uncounted)


@mutant(scenes.nothing_fails)
def the_last_delivery_is_released(patch: pytest.MonkeyPatch) -> None:
    for module in (share_partition_module, state_change_module):
        patch.setattr(module, "after_release", lambda count, limit: RecordState.AVAILABLE)


@mutant(scenes.members_disturb_each_other)
def any_session_epoch_is_taken(patch: pytest.MonkeyPatch) -> None:
    resume = ShareSessionCache.resume

    def lenient(self: ShareSessionCache, key: Any, epoch: int) -> Any:
        session = self.sessions.get(key)
        known = epoch if session is None or epoch < 0 else session.epoch
        return resume(self, key, known)

    patch.setattr(ShareSessionCache, "resume", lenient)


@mutant(scenes.members_disturb_each_other)
def anyone_may_acknowledge(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(acknowledgement_module, "_check_owner", lambda *_: None)


@mutant(scenes.nothing_fails)
def locks_do_not_end(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AcquisitionLock, "run", lambda self: None)


@mutant(scenes.nothing_fails)
def locks_end_early(patch: pytest.MonkeyPatch) -> None:
    init = AcquisitionLock.__init__

    def impatient(self: AcquisitionLock, duration_ms: int, *rest: Any) -> None:
        init(self, duration_ms // 2, *rest)

    patch.setattr(AcquisitionLock, "__init__", impatient)


@mutant(scenes.leaders_change)
def the_stored_batches_are_not_read(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        share_partition_module, "restore", lambda start, stored: (InFlightWindow(), Gaps())
    )


@mutant(scenes.a_replaced_leader_does_not_know_it)
def leader_epochs_are_not_checked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ShareCoordinator, "_check_leader", lambda self, key, leader_epoch: None)


@mutant(scenes.writes_are_lost)
def calls_are_sent_again_out_of_order(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(NetworkPersister, "_begin", lambda self, call: self._enqueue(call))
    patch.setattr(
        NetworkPersister,
        "_end",
        lambda self, call, result: (callback(result) for callback in call.callbacks),
    )


@mutant(scenes.the_coordinator_crashes)
def states_are_acknowledged_before_they_are_replicated(patch: pytest.MonkeyPatch) -> None:
    when_replicated = CoordinatorRuntime.when_replicated

    def at_once(self: CoordinatorRuntime, key: str, on_replicated: Any, *rest: Any) -> None:
        if self.topic_name == "__share_group_state":
            on_replicated(ErrorCode.NONE)
        else:
            when_replicated(self, key, on_replicated, *rest)

    patch.setattr(CoordinatorRuntime, "when_replicated", at_once)

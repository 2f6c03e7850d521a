"""Reconciliation of a member (mirrors streams' ``CurrentAssignmentBuilderTest``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest

from broker.common.errors import ApiError
from broker.groups.streams.current_assignment import (
    CurrentAssignment,
    CurrentAssignmentBuilder,
    MemberState,
)
from broker.groups.streams.tasks import EMPTY, Tasks, TasksWithEpochs
from protocol.errors import ErrorCode

STABLE = MemberState.STABLE
UNREVOKED = MemberState.UNREVOKED_TASKS
UNRELEASED = MemberState.UNRELEASED_TASKS
# The processes that own tasks of the subtopology "s", by role and partition.
Owners = Mapping[str, Mapping[int, str]]
NOBODY: Owners = MappingProxyType({})

MEMBER = CurrentAssignment(
    member_epoch=10,
    previous_member_epoch=9,
    assigned=TasksWithEpochs(active={"s": {1: 7, 2: 8}}, standby={"s": (3,)}),
)
REVOKING = replace(
    MEMBER, state=UNREVOKED, pending_revocation=TasksWithEpochs(active={"s": {4: 7}})
)


def step(
    before: CurrentAssignment,
    target: Tasks,
    *,
    epoch: int = 11,
    owned: Tasks | None = None,
    owners: Owners = NOBODY,
) -> CurrentAssignment:
    """The member of process p after a heartbeat with *owned*, while others own tasks."""

    def processes(role: str, partition: int) -> list[str]:
        return [owner for each, owner in owners.get(role, {}).items() if each == partition]

    return CurrentAssignmentBuilder(
        process_id="p",
        target_epoch=epoch,
        target=target,
        owned=owned,
        active_process_of=lambda _, partition: next(iter(processes("active", partition)), None),
        standby_processes_of=lambda _, partition: processes("standby", partition),
        warmup_processes_of=lambda _, partition: processes("warmup", partition),
    ).build(before)


KEPT = Tasks(active={"s": (1, 2)}, standby={"s": (3,)})
MORE = Tasks(active={"s": (1, 2, 4)}, standby={"s": (3, 5)})
LESS = Tasks(active={"s": (1,)})


def test_nothing_changes_in_the_epoch_of_the_target() -> None:
    """The same object is returned, whatever the target is."""
    assert step(MEMBER, MORE, epoch=10) is MEMBER


def test_a_member_with_its_target_gets_the_epoch() -> None:
    """Tasks keep the epochs in which they were assigned."""
    assert step(MEMBER, KEPT) == replace(MEMBER, member_epoch=11, previous_member_epoch=10)


def test_free_tasks_are_assigned_in_the_epoch_of_the_target() -> None:
    """The member stays stable."""
    after = step(MEMBER, MORE)

    assert after.state is STABLE
    assert after.assigned == TasksWithEpochs(
        active={"s": {1: 7, 2: 8, 4: 11}}, standby={"s": (3, 5)}
    )


def test_a_member_that_may_own_lost_tasks_has_to_revoke_them() -> None:
    """It keeps its epoch; a heartbeat without owned tasks is no revocation."""
    after = step(MEMBER, LESS)

    assert (after.state, after.member_epoch, after.previous_member_epoch) == (UNREVOKED, 10, 10)
    assert after.assigned == TasksWithEpochs(active={"s": {1: 7}})
    assert after.pending_revocation == TasksWithEpochs(active={"s": {2: 8}}, standby={"s": (3,)})


def test_tasks_that_the_member_does_not_own_need_no_revocation() -> None:
    """It gets the epoch of the target at once."""
    after = step(MEMBER, LESS, owned=Tasks(active={"s": (1,)}))

    assert (after.state, after.member_epoch) == (STABLE, 11)
    assert after.assigned == TasksWithEpochs(active={"s": {1: 7}})


@pytest.mark.parametrize("owned", [None, Tasks(active={"s": (1, 4)})], ids=["not listed", "listed"])
def test_a_member_waits_until_tasks_are_revoked(owned: Tasks | None) -> None:
    """The same object is returned, also if the target has changed."""
    assert step(REVOKING, MORE, owned=owned) is REVOKING


def test_a_member_that_has_revoked_its_tasks_gets_the_epoch_of_the_target() -> None:
    """The heartbeat lists owned tasks without those to revoke."""
    after = step(REVOKING, KEPT, owned=KEPT)

    assert (after.state, after.member_epoch) == (STABLE, 11)
    assert after.pending_revocation.is_empty


def test_a_new_target_is_revoked_in_the_epoch_after_the_revocation() -> None:
    """The member has the next epoch, even if the target is later (Kafka's ``memberEpoch + 1``)."""
    after = step(REVOKING, LESS, epoch=20, owned=KEPT)

    assert (after.state, after.member_epoch, after.previous_member_epoch) == (UNREVOKED, 11, 10)


def test_an_active_task_of_any_member_is_not_free() -> None:
    """The member has the epoch of the target and waits for the task."""
    after = step(MEMBER, MORE, owners={"active": {4: "another"}})

    assert (after.state, after.member_epoch) == (UNRELEASED, 11)
    assert after.assigned == TasksWithEpochs(active={"s": {1: 7, 2: 8}}, standby={"s": (3, 5)})


@pytest.mark.parametrize("role", ["standby", "warmup"])
def test_a_process_does_not_have_a_task_in_two_roles(role: str) -> None:
    """An active task waits until a member of the same process has closed it."""
    assert step(MEMBER, MORE, owners={role: {4: "p"}}).state is UNRELEASED
    assert step(MEMBER, MORE, owners={role: {4: "another"}}).state is STABLE


@pytest.mark.parametrize("role", ["active", "standby", "warmup"])
@pytest.mark.parametrize("target", ["standby", "warmup"])
def test_a_replica_waits_for_its_own_process_only(role: str, target: str) -> None:
    """Other processes may run the task in any role."""
    wanted = Tasks(**{target: {"s": (5,)}})
    new = CurrentAssignment(member_epoch=10)

    assert step(new, wanted, owners={role: {5: "p"}}).state is UNRELEASED
    assert step(new, wanted, owners={role: {5: "another"}}).state is STABLE


def test_a_waiting_member_gets_a_task_when_it_is_free() -> None:
    """In the epoch of the target, although the member has that epoch already."""
    waiting = replace(MEMBER, state=UNRELEASED)

    assert step(waiting, MORE, epoch=10, owners={"active": {4: "another"}}).state is UNRELEASED
    assert step(waiting, MORE, epoch=10).assigned.active == {"s": {1: 7, 2: 8, 4: 10}}


@pytest.mark.parametrize("owned", [None, KEPT], ids=["not listed", "listed"])
def test_a_member_of_an_unknown_state_is_fenced_unless_it_owns_nothing(
    owned: Tasks | None,
) -> None:
    """A newer coordinator has written the state."""
    unknown = replace(MEMBER, state=MemberState(9))

    with pytest.raises(ApiError) as refused:
        step(unknown, KEPT, owned=owned)

    assert refused.value.code is ErrorCode.FENCED_MEMBER_EPOCH


def test_a_member_of_an_unknown_state_without_tasks_is_reconciled() -> None:
    """It gets the epoch of the target."""
    after = step(replace(MEMBER, state=MemberState.UNKNOWN), KEPT, owned=EMPTY)

    assert (after.state, after.member_epoch) == (STABLE, 11)

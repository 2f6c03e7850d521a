"""The processes that have tasks."""

from __future__ import annotations

from broker.groups.streams.task_owners import TaskOwners
from broker.groups.streams.tasks import TasksWithEpochs

ACTIVE = TasksWithEpochs(active={"0": {0: 1, 1: 1}})
OTHERS = TasksWithEpochs(standby={"0": (0,)}, warmup={"0": (1,)})


def test_an_active_task_has_one_owner() -> None:
    """The last one that got it."""
    owners = TaskOwners()
    owners.add(ACTIVE, "p")
    owners.add(TasksWithEpochs(active={"0": {1: 2}}), "q")

    assert (owners.active("0", 0), owners.active("0", 1)) == ("p", "q")
    assert (owners.active("0", 2), owners.active("1", 0)) == (None, None)


def test_a_former_owner_does_not_release_a_task_of_another() -> None:
    """It releases its own ones."""
    owners = TaskOwners()
    owners.add(ACTIVE, "p")
    owners.add(TasksWithEpochs(active={"0": {1: 2}}), "q")

    owners.remove(ACTIVE, "p")

    assert (owners.active("0", 0), owners.active("0", 1)) == (None, "q")


def test_other_tasks_have_several_owners() -> None:
    """Each releases its own."""
    owners = TaskOwners()
    for process in "pq":
        owners.add(OTHERS, process)
    both = frozenset({"p", "q"})
    assert (owners.standby("0", 0), owners.warmup("0", 1)) == (both, both)
    assert (owners.standby("0", 1), owners.warmup("1", 1)) == (frozenset(), frozenset())

    owners.remove(OTHERS, "p")

    assert owners.standby("0", 0) == owners.warmup("0", 1) == {"q"}


def test_tasks_that_nobody_has_can_be_released() -> None:
    """Without an effect."""
    owners = TaskOwners()

    owners.remove(ACTIVE, "p")
    owners.remove(OTHERS, "p")

    assert (owners.active("0", 0), owners.standby("0", 0)) == (None, frozenset())


def test_a_copy_is_changed_alone() -> None:
    """The other one shares its tables until then."""
    owners = TaskOwners()
    owners.add(ACTIVE, "p")
    owners.add(OTHERS, "p")
    copied = owners.copy()
    copied.remove(ACTIVE, "p")
    copied.remove(OTHERS, "p")
    copied.add(TasksWithEpochs(active={"0": {5: 1}}, standby={"1": (5,)}), "q")

    assert (owners.active("0", 0), owners.active("0", 5)) == ("p", None)
    assert owners.standby("0", 0) == owners.warmup("0", 1) == {"p"}
    assert owners.standby("1", 5) == frozenset()

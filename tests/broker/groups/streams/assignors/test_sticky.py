"""The sticky assignor (mirrors ``StickyTaskAssignorTest``)."""

from __future__ import annotations

from hypothesis import given

from broker.groups.streams.assignors import ASSIGNORS
from broker.groups.streams.assignors.spec import GroupSpec, TaskId
from broker.groups.streams.assignors.sticky import assign
from broker.groups.streams.tasks import Tasks
from tests.broker.groups.streams.assignors.specs import (
    GROUPS,
    active_tasks,
    check_properties,
    spec_of,
    standby_tasks,
    subtopology,
)

TWO_TASKS = {"s": subtopology(2)}


@given(GROUPS)
def test_all_tasks_are_assigned(spec: GroupSpec) -> None:
    """Active tasks once, standby tasks as often as there are other processes."""
    check_properties(spec, assign(spec))


@given(GROUPS)
def test_the_active_tasks_of_processes_with_one_member_are_balanced(spec: GroupSpec) -> None:
    """The numbers of two members differ by at most one."""
    alone = spec_of({name: name for name in spec.members}, tasks=spec.subtopologies)

    counts = [len(active_tasks(tasks)) for tasks in assign(alone).values()]

    assert max(counts) - min(counts) <= 1


def test_new_members_get_ranges_of_subtopologies() -> None:
    """Tasks are assigned in the order of subtopologies, one to each process in turn."""
    spec = spec_of({"m": "p", "n": "q"}, tasks={"0": subtopology(2), "1": subtopology(2)})

    assert assign(spec) == {
        "m": Tasks(active={"0": (0,), "1": (0,)}),
        "n": Tasks(active={"0": (1,), "1": (1,)}),
    }


def test_active_tasks_stay_with_their_members() -> None:
    """Although new members would get them in another order."""
    before = {"m": Tasks(active={"s": (1,)}), "n": Tasks(active={"s": (0,)})}

    spec = spec_of({"m": "p", "n": "q"}, tasks=TWO_TASKS, before=before)

    assert assign(spec) == before


def test_a_member_gives_up_tasks_above_its_share() -> None:
    """It keeps the first partitions; the new member gets the others."""
    before = {"m": Tasks(active={"s": (0, 1)})}

    spec = spec_of({"m": "p", "n": "q"}, tasks=TWO_TASKS, before=before)

    assert assign(spec) == {"m": Tasks(active={"s": (0,)}), "n": Tasks(active={"s": (1,)})}


def test_an_active_task_moves_to_a_member_with_its_standby_task() -> None:
    """The member that had the active task has left."""
    before = {"m": Tasks(active={"s": (0,)}), "o": Tasks(standby={"s": (1,)})}

    spec = spec_of({"m": "p", "n": "q", "o": "r"}, tasks=TWO_TASKS, before=before)

    assert assign(spec)["o"].active == {"s": (1,)}


def test_a_process_gets_tasks_for_each_of_its_members() -> None:
    """Its load is the number of tasks divided by that of its members."""
    spec = spec_of({"m": "p", "n": "p", "o": "q"}, tasks={"s": subtopology(6)})

    assert {name: len(active_tasks(each)) for name, each in assign(spec).items()} == {
        "m": 2,
        "n": 2,
        "o": 2,
    }


def test_standby_tasks_are_on_other_processes() -> None:
    """Not with a member of the process that has the active task."""
    spec = spec_of({"m": "p", "n": "p", "o": "q"}, tasks={"s": subtopology(1)}, replicas=1)
    assignment = assign(spec)

    [active] = [name for name, tasks in assignment.items() if active_tasks(tasks)]
    [standby] = [name for name, tasks in assignment.items() if standby_tasks(tasks)]
    assert spec.members[active].process_id != spec.members[standby].process_id


def test_tasks_without_state_have_no_standby_tasks() -> None:
    """There is nothing to restore."""
    tasks = {"s": subtopology(1, is_stateful=False)}

    assignment = assign(spec_of({"m": "p", "n": "q"}, tasks=tasks, replicas=1))

    assert not any(standby_tasks(each) for each in assignment.values())


def test_a_standby_task_stays_with_its_member() -> None:
    """Although the other member has fewer tasks."""
    before = {
        "m": Tasks(active={"s": (0,)}),
        "n": Tasks(active={"s": (1,)}, standby={"s": (0,)}),
        "o": Tasks(),
    }

    spec = spec_of({"m": "p", "n": "q", "o": "r"}, tasks=TWO_TASKS, replicas=1, before=before)

    assert TaskId("s", 0) in standby_tasks(assign(spec)["n"])


def test_the_former_member_of_an_active_task_gets_its_standby_task() -> None:
    """It has the state, but no place for another active task."""
    before = {"m": Tasks(active={"s": (0, 1)})}

    spec = spec_of({"m": "p", "n": "q"}, tasks=TWO_TASKS, replicas=1, before=before)

    assert assign(spec)["m"] == Tasks(active={"s": (0,)}, standby={"s": (1,)})


def test_too_few_processes_get_as_many_standby_tasks_as_possible() -> None:
    """A process has a task once."""
    spec = spec_of({"m": "p", "n": "q"}, tasks={"s": subtopology(1)}, replicas=3)

    tasks = assign(spec).values()

    assert sorted(len(standby_tasks(each)) for each in tasks) == [0, 1]


def test_tasks_that_do_not_exist_any_more_are_forgotten() -> None:
    """The topology has changed since."""
    before = {"m": Tasks(active={"gone": (0,), "s": (7,)}, standby={"gone": (1,)})}

    spec = spec_of({"m": "p"}, tasks={"s": subtopology(1)}, replicas=1, before=before)

    assert assign(spec) == {"m": Tasks(active={"s": (0,)})}


def test_the_assignor_is_found_by_its_name() -> None:
    """It is the only one of Kafka 4.3."""
    assert {"sticky": assign} == ASSIGNORS

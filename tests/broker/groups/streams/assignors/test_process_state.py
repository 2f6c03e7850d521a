"""The tasks of a process."""

from __future__ import annotations

from broker.groups.streams.assignors.process_state import ProcessState
from broker.groups.streams.assignors.spec import TaskId

FIRST, SECOND, THIRD = (TaskId("s", partition) for partition in range(3))


def process(*members: str) -> ProcessState:
    """A process with these members, and without tasks."""
    made = ProcessState()
    for member in members:
        made.add_member(member)
    return made


def test_the_load_is_the_number_of_tasks_for_each_member() -> None:
    """Active and standby tasks count alike."""
    two = process("m", "n")
    two.add_task("m", FIRST, is_active=True)
    two.add_task("m", SECOND, is_active=False)
    two.add_task("n", THIRD, is_active=False)

    assert two.load == 1.5


def test_a_task_goes_to_the_member_with_the_fewest() -> None:
    """Also after tasks were assigned to a certain member."""
    two = process("m", "n")
    two.add_task_to_least_loaded_member(FIRST, is_active=True)
    two.add_task("n", SECOND, is_active=True)
    two.add_task("n", THIRD, is_active=True)

    two.add_task_to_least_loaded_member(TaskId("s", 3), is_active=False)

    assert two.task_counts == {"m": 2, "n": 2}
    assert two.standby["m"] == [TaskId("s", 3)]


def test_the_new_number_of_tasks_is_returned() -> None:
    """Of the member that got the task."""
    one = process("m")

    assert one.add_task("m", FIRST, is_active=True) == 1
    assert one.add_task_to_least_loaded_member(SECOND, is_active=True) == 2


def test_a_process_has_the_tasks_of_all_its_members() -> None:
    """In both roles."""
    two = process("m", "n")
    two.add_task("m", FIRST, is_active=True)
    two.add_task("n", SECOND, is_active=False)

    assert two.has_task(FIRST)
    assert two.has_task(SECOND)
    assert not two.has_task(THIRD)

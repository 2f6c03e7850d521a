"""Inputs of task assignors, and the properties of all assignments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hypothesis import strategies as st

from broker.common.java_hash import in_hash_order, string_hash
from broker.groups.streams.assignors.spec import Assignment, GroupSpec, MemberSpec, TaskId
from broker.groups.streams.tasks import EMPTY, Tasks
from broker.groups.streams.topics.configured import ConfiguredInternalTopic, ConfiguredSubtopology

LOG = ConfiguredInternalTopic(name="log", partitions=1, replication_factor=None, configs=())


def subtopology(tasks: int, *, is_stateful: bool = True) -> ConfiguredSubtopology:
    """A subtopology with that many tasks."""
    return ConfiguredSubtopology(
        number_of_tasks=tasks,
        source_topics=("a",),
        repartition_source_topics={},
        repartition_sink_topics=(),
        state_changelog_topics={"log": LOG} if is_stateful else {},
    )


def spec_of(
    members: Mapping[str, str],
    *,
    tasks: Mapping[str, ConfiguredSubtopology],
    replicas: int = 0,
    before: Mapping[str, Tasks] | None = None,
) -> GroupSpec:
    """Members with their processes and their present targets."""
    return GroupSpec(
        members={
            name: MemberSpec(process_id=members[name], target=(before or {}).get(name, EMPTY))
            for name in in_hash_order(list(members), string_hash)
        },
        subtopologies=tasks,
        num_standby_replicas=replicas,
    )


def active_tasks(tasks: Tasks) -> list[TaskId]:
    """The active tasks of a member."""
    return [TaskId(name, each) for name, parts in tasks.active.items() for each in parts]


def standby_tasks(tasks: Tasks) -> list[TaskId]:
    """The standby tasks of a member."""
    return [TaskId(name, each) for name, parts in tasks.standby.items() for each in parts]


def check_properties(spec: GroupSpec, assignment: Assignment) -> None:
    """Each active task is assigned once, and a process has each task at most once."""
    assert assignment.keys() == spec.members.keys()
    active = Counter(task for tasks in assignment.values() for task in active_tasks(tasks))
    assert active == Counter(
        TaskId(name, partition)
        for name, each in spec.subtopologies.items()
        for partition in range(each.number_of_tasks)
    )
    placed = Counter(
        (spec.members[name].process_id, task)
        for name, tasks in assignment.items()
        for task in active_tasks(tasks) + standby_tasks(tasks)
    )
    assert max(placed.values(), default=1) == 1
    standby = Counter(task for tasks in assignment.values() for task in standby_tasks(tasks))
    processes = len({each.process_id for each in spec.members.values()})
    for task in active:
        is_stateful = spec.subtopologies[task.subtopology_id].is_stateful
        replicas = min(spec.num_standby_replicas, processes - 1) if is_stateful else 0
        assert standby[task] == replicas


GROUPS = st.builds(
    spec_of,
    st.dictionaries(
        st.integers(0, 999).map("m{}".format), st.sampled_from("pqrst"), min_size=1, max_size=9
    ),
    tasks=st.dictionaries(
        st.sampled_from("0123"),
        st.builds(
            lambda count, stateful: subtopology(count, is_stateful=stateful),
            st.integers(1, 6),
            st.booleans(),
        ),
        min_size=1,
    ),
    replicas=st.integers(0, 3),
)

"""Which heartbeats are prepared in a worker thread."""

from __future__ import annotations

import pytest

from broker.groups.streams.workload import is_long
from tests.broker.groups.streams.topics.topologies import subtopology, topology
from tests.broker.groups.streams.world import StreamsWorld


@pytest.fixture
def world() -> StreamsWorld:
    return StreamsWorld()


BIG = topology(subtopology("0", "big in"), subtopology("1", "in"))


@pytest.mark.parametrize(("partitions", "expected"), [(295, False), (296, True)])
def test_a_group_with_many_members_and_tasks_is_long(
    world: StreamsWorld, partitions: int, expected: bool
) -> None:
    """One member counts as a task, of which a subtopology has as many as its largest topic."""
    world.put_topic("big", partitions)
    world.join(topology=BIG)
    assert world.group.configured is None
    assert is_long(world.group, None, world.coordinator.consumers.topics) is expected

    world.beat()

    assert world.group.configured is not None
    assert is_long(world.group, None, world.coordinator.consumers.topics) is expected


@pytest.mark.parametrize(("partitions", "expected"), [(296, False), (297, True)])
def test_a_join_that_creates_a_group_with_many_tasks_is_long(
    world: StreamsWorld, partitions: int, expected: bool
) -> None:
    """By its topology."""
    world.put_topic("big", partitions)

    assert is_long(None, BIG, world.coordinator.consumers.topics) is expected


def test_a_group_without_topics_is_not_long(world: StreamsWorld) -> None:
    """It has no tasks; and a request without a topology does not create a group."""
    world.join(topology=topology(subtopology("0", "other"), subtopology("1")))
    world.beat()

    assert not is_long(world.group, None, world.coordinator.consumers.topics)
    assert not is_long(None, topology(subtopology("1")), world.coordinator.consumers.topics)
    assert not is_long(None, None, world.coordinator.consumers.topics)

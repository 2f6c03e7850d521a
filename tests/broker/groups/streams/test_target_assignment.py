"""The target assignment of a group, written."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

from broker.config import parse_config
from broker.config.groups import GroupConfigs
from broker.groups.streams.draft import StreamsDraft
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.member import StreamsGroupMember
from broker.groups.streams.target_assignment import TargetAssignments
from broker.groups.streams.tasks import Tasks
from broker.groups.streams.topics.configured import ConfiguredTopology
from broker.groups.streams.topics.internal_topics import configure
from tests.broker.groups.streams.world import TOPOLOGY, shown
from tests.broker.groups.virtual_world import ManualClock

NOW_MS = 1_700_000_000_000
READY = configure(TOPOLOGY, 1, lambda _: 2)
MISSING = configure(TOPOLOGY, 1, lambda _: None)


class StepClock(ManualClock):
    """A wall clock that moves on whenever it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.wall_ms = count(NOW_MS).__next__  # type: ignore[method-assign]  # of a test


def draft(epoch: int = 3) -> StreamsDraft:
    """A group with two members, whose target is that of epoch 2."""
    group = StreamsGroup("g")
    group.epoch, group.assignment_epoch = epoch, 2
    for each in "ab":
        group.put(StreamsGroupMember(member_id=each, process_id=each))
    return StreamsDraft(group)


def update(
    changed: StreamsDraft, configured: ConfiguredTopology = READY, interval_ms: int = 0
) -> bool:
    """Write the targets, with an assignment interval."""
    config = parse_config({"group.streams.assignment.interval.ms": str(interval_ms)})
    return TargetAssignments(StepClock(), GroupConfigs(config)).update(changed, configured)


def test_the_targets_of_a_new_epoch_are_written() -> None:
    """Then their epoch."""
    changed = draft()

    assert update(changed)
    assert [shown(each) for each in changed.records] == ["21 a", "21 b", "20"]
    assert (changed.group.assignment_epoch, changed.before.target) == (3, {})


@pytest.mark.parametrize("epoch", [2, 1])
def test_an_old_epoch_has_its_target(epoch: int) -> None:
    """Nothing is written."""
    changed = draft(epoch)

    assert update(changed)
    assert changed.records == []


def test_the_time_is_that_after_the_computation() -> None:
    """The next interval begins then."""
    changed = draft()
    changed.group.assignment_timestamp_ms = 1

    update(changed, interval_ms=1000)

    assert changed.group.assignment_timestamp_ms == NOW_MS + 1


def test_members_have_no_tasks_while_topics_are_missing() -> None:
    """A target that is empty already is not written again."""
    changed = draft()
    changed.group.target = {"a": Tasks(active={"0": (0,)}), "b": Tasks()}

    update(changed, MISSING)

    assert [shown(each) for each in changed.records] == ["21 a", "20"]
    assert changed.group.target == {"a": Tasks(), "b": Tasks()}


@pytest.mark.parametrize(
    ("last_ms", "interval_ms", "is_assigned"),
    [
        (NOW_MS - 999, 1000, False),
        (NOW_MS - 1000, 1000, True),
        (NOW_MS, 0, True),
        (0, 1000, True),
        (NOW_MS + 5000, 1000, False),
    ],
)
def test_an_assignment_waits_for_the_interval(
    last_ms: int, interval_ms: int, is_assigned: bool
) -> None:
    """Unless the time of the last one is unknown."""
    changed = draft()
    changed.group.assignment_timestamp_ms = last_ms

    assert update(changed, interval_ms=interval_ms) is is_assigned
    assert bool(changed.records) is is_assigned


def test_targets_are_written_in_the_order_of_a_hash_map() -> None:
    """That of the member ids."""
    group = StreamsGroup("g")
    group.epoch = 3
    for each in ("p", "b", "a"):
        group.put(StreamsGroupMember(member_id=each, process_id=each))
    changed = StreamsDraft(group)

    update(changed, replace(READY, error=MISSING.error))

    assert [shown(each) for each in changed.records] == ["21 p", "21 a", "21 b", "20"]

"""The replay of records of streams groups (the replay tests of ``GroupMetadataManagerTest``)."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from broker.coordinators.coordinator_record import CoordinatorRecord, InconsistentRecord
from broker.groups.records import streams as records
from broker.groups.streams.assignment_record import current_value, target_value
from broker.groups.streams.current_assignment import CurrentAssignment, MemberState
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.member import LEFT, Endpoint, StreamsGroupMember
from broker.groups.streams.replay import replay
from broker.groups.streams.tasks import Tasks, TasksWithEpochs
from broker.groups.streams.topology_record import topology_value
from tests.broker.groups.streams.world import WITH_CHANGELOG

METADATA = records.StreamsGroupMemberMetadataKey(group_id="g", member_id="m")
CURRENT = records.StreamsGroupCurrentMemberAssignmentKey(group_id="g", member_id="m")
TARGET = records.StreamsGroupTargetAssignmentMemberKey(group_id="g", member_id="m")
TARGET_EPOCH = records.StreamsGroupTargetAssignmentMetadataKey(group_id="g")
EPOCH = records.StreamsGroupMetadataKey(group_id="g")
TOPOLOGY_KEY = records.StreamsGroupTopologyKey(group_id="g")

M = StreamsGroupMember(
    member_id="m",
    instance_id="i",
    rack_id="r",
    client_id="c",
    client_host="/h",
    rebalance_timeout_ms=9,
    topology_epoch=3,
    process_id="p",
    user_endpoint=Endpoint("host", 8),
    client_tags={"a": "1", "b": "2"},
    current=CurrentAssignment(
        state=MemberState.UNREVOKED_TASKS,
        member_epoch=5,
        previous_member_epoch=4,
        assigned=TasksWithEpochs(active={"0": {0: 5, 1: 4}}, standby={"0": (2,)}),
        pending_revocation=TasksWithEpochs(active={"1": {3: 2}}, warmup={"0": (3,)}),
    ),
)
GOAL = Tasks(active={"0": (0, 1)}, standby={"0": (2,)}, warmup={"1": (0,)})
VALUES: list[tuple[Any, Any]] = [
    (METADATA, M.metadata_value()),
    (CURRENT, current_value(M.current)),
    (TARGET, target_value(GOAL)),
    (
        TARGET_EPOCH,
        records.StreamsGroupTargetAssignmentMetadataValue(
            assignment_epoch=8, assignment_timestamp=77
        ),
    ),
    (
        EPOCH,
        records.StreamsGroupMetadataValue(
            epoch=9,
            metadata_hash=-5,
            validated_topology_epoch=3,
            last_assignment_configs=[records.LastAssignmentConfig(key="k", value="v")],
        ),
    ),
    (TOPOLOGY_KEY, topology_value(WITH_CHANGELOG)),
]


def replayed(*each: tuple[Any, Any]) -> StreamsGroup:
    """A new group after the replay of records."""
    group = StreamsGroup("g")
    for key, value in each:
        replay(group, CoordinatorRecord(key, value))
    return group


def test_a_group_with_all_its_parts() -> None:
    """Each has its record."""
    group = replayed(*VALUES)

    assert group.members == {"m": M}
    assert group.target == {"m": GOAL}
    assert (group.epoch, group.metadata_hash, group.validated_topology_epoch) == (9, -5, 3)
    assert group.assignment_configs == {"k": "v"}
    assert (group.assignment_epoch, group.assignment_timestamp_ms) == (8, 77)
    assert group.topology == WITH_CHANGELOG
    assert group.owners.active("0", 1) == "p"


def test_the_order_of_keys_does_not_matter() -> None:
    """Compaction changes it."""

    def parts(group: StreamsGroup) -> dict[str, Any]:
        return {name: value for name, value in vars(group).items() if name != "owners"}

    expected = replayed(*VALUES)
    for order in permutations(VALUES):
        group = replayed(*order)
        assert parts(group) == parts(expected)
        assert vars(group.owners) == vars(expected.owners)


def test_an_epoch_without_settings() -> None:
    """They are optional in the record."""
    value = records.StreamsGroupMetadataValue(epoch=9, metadata_hash=0)

    group = replayed((EPOCH, value))

    assert (group.validated_topology_epoch, group.assignment_configs) == (-1, {})


def test_a_member_without_an_assignment() -> None:
    """The tombstone of its metadata follows; its tasks have no owner."""
    group = replayed(*VALUES, (CURRENT, None))

    assert group.members == {"m": replace(M, current=LEFT)}
    assert group.owners.active("0", 1) is None
    assert group.owners.active("1", 3) is None


def test_a_removed_member() -> None:
    """By its three tombstones."""
    group = replayed(*VALUES, (CURRENT, None), (TARGET, None), (METADATA, None))

    assert (group.members, group.target) == ({}, {})


def test_a_new_target_replaces_the_former() -> None:
    """It has the latest tasks only."""
    other = Tasks(active={"1": (7,)})

    assert replayed(*VALUES, (TARGET, target_value(other))).target == {"m": other}


def test_a_deleted_group() -> None:
    """Its members are gone, and its target epoch precedes."""
    group = replayed(*VALUES[3:], (TARGET_EPOCH, None), (EPOCH, None))

    assert group.is_deleted
    assert (group.assignment_epoch, group.assignment_timestamp_ms) == (-1, 0)


def test_a_deleted_topology() -> None:
    """A group without one is not ready."""
    group = replayed(*VALUES, (TOPOLOGY_KEY, None))

    assert (group.topology, group.state_name) == (None, "NotReady")


def test_tombstones_without_records_have_no_effect() -> None:
    """Compaction may have removed the records."""
    keys = (METADATA, CURRENT, TARGET, TOPOLOGY_KEY)
    group = replayed(*((key, None) for key in keys))

    assert (group.members, group.target, group.topology) == ({}, {}, None)
    assert (group.epoch, group.assignment_epoch) == (1, 1)


@pytest.mark.parametrize(
    "tombstones",
    [
        [METADATA],
        [TARGET, METADATA],
        [CURRENT, METADATA],
        [TARGET_EPOCH],
        [EPOCH],
        [CURRENT, TARGET, METADATA, EPOCH],
    ],
)
def test_tombstones_that_contradict_records(tombstones: list[Any]) -> None:
    """Kafka throws an IllegalStateException."""
    with pytest.raises(InconsistentRecord):
        replayed(*VALUES, *((key, None) for key in tombstones))

"""The records of heartbeats in their order, and the responses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.groups.records.streams import (
    LastAssignmentConfig,
    StreamsGroupMetadataValue,
    StreamsGroupTargetAssignmentMetadataValue,
)
from broker.groups.streams.current_assignment import MemberState
from broker.groups.streams.topology import InternalTopic, Subtopology
from protocol.errors import ErrorCode
from tests.broker.groups.streams.topics.topologies import subtopology, topology
from tests.broker.groups.streams.world import (
    NOTHING,
    TOPOLOGY,
    WITH_CHANGELOG,
    StreamsWorld,
    active,
    details,
    joining,
    owned,
)
from tests.broker.groups.virtual_world import EPOCH_MS

ALL = {"0": [0, 1, 2, 3]}
JOINED = ["19 a", "23", "17", "21 a", "20", "22 a"]


@pytest.fixture
def world() -> StreamsWorld:
    return StreamsWorld()


# -------------------------------------------------------------------------------------- records


def test_the_first_member_creates_the_group_in_one_batch(world: StreamsWorld) -> None:
    """The epoch of a new group is 1 before any record, and its first member makes it 2."""
    log = world.logs[world.coordinator.runtime.partition_for("g")]

    result = world.join()

    assert (result.member_id, result.member_epoch, active(result)) == ("a", 2, ALL)
    assert (result.heartbeat_interval_ms, details(result)) == (5000, [])
    assert world.appended() == JOINED
    assert log.batches == 1
    assert (world.group.epoch, world.group.assignment_epoch) == (2, 2)
    assert world.member().current.assigned.active == {"0": dict.fromkeys(range(4), 2)}


def test_the_epoch_is_written_with_what_it_depends_on(world: StreamsWorld) -> None:
    """The topics, the topology that they fit, and the settings of the assignor."""
    world.join()

    (value,) = world.epochs_written()

    configs = [LastAssignmentConfig(key="num.standby.replicas", value="0")]
    assert value == StreamsGroupMetadataValue(
        epoch=2,
        metadata_hash=world.group.metadata_hash,
        validated_topology_epoch=3,
        last_assignment_configs=configs,
    )
    assert value.metadata_hash != 0


def test_no_topics_have_the_hash_0_and_validate_no_topology(world: StreamsWorld) -> None:
    """The source topic is missing."""
    world.join(topology=topology(subtopology("0", "other")))

    (value,) = world.epochs_written()

    assert (value.metadata_hash, value.validated_topology_epoch) == (0, -1)


def test_the_target_epoch_is_written_with_its_time(world: StreamsWorld) -> None:
    """The wall clock."""
    world.wait(500)
    world.join()

    (value,) = [
        each.value
        for each in world.records()
        if isinstance(each.value, StreamsGroupTargetAssignmentMetadataValue)
    ]

    assert (value.assignment_epoch, value.assignment_timestamp) == (2, EPOCH_MS + 500)


def test_another_member_writes_all_targets_that_change(world: StreamsWorld) -> None:
    """And no topology; it waits for the tasks that the first one has to revoke."""
    world.join()
    world.appended()

    result = world.join("b")

    assert (result.member_epoch, active(result)) == (3, {})
    assert world.appended() == ["19 b", "17", "21 a", "21 b", "20", "22 b"]
    assert world.member("b").current.state is MemberState.UNRELEASED_TASKS


def test_a_target_that_is_unchanged_is_not_written(world: StreamsWorld) -> None:
    """There is no task for the third member."""
    world.put_topic("one", 1)
    small = topology(subtopology("0", "one"))
    for each in "ab":
        world.join(each, topology=small)
    world.appended()

    world.join("c", topology=small)

    assert world.appended() == ["19 c", "17", "21 c", "20", "22 c"]


def test_a_heartbeat_without_changes_writes_nothing(world: StreamsWorld) -> None:
    """The response has no tasks."""
    world.join()
    world.appended()

    result = world.beat()

    assert (result.member_epoch, result.assigned) == (2, None)
    assert (result.endpoints, result.endpoint_information_epoch) == (None, 0)
    assert world.appended() == []


def test_a_member_with_unreleased_tasks_writes_its_previous_epoch_once(
    world: StreamsWorld,
) -> None:
    """The next heartbeats write nothing."""
    world.join()
    world.join("b")
    world.appended()

    assert world.beat("b").assigned is None
    assert world.appended() == ["22 b"]
    assert world.member("b").current.previous_member_epoch == 3
    world.beat("b")
    assert world.appended() == []


def test_two_members_exchange_their_tasks(world: StreamsWorld) -> None:
    """Revocation, its confirmation, and the tasks that it frees."""
    world.join()
    world.join("b")

    revoked = world.beat("a")
    assert (revoked.member_epoch, active(revoked)) == (2, {"0": [0, 1]})
    assert world.member("a").current.state is MemberState.UNREVOKED_TASKS
    confirmed = world.beat("a", owned=owned({"0": [0, 1]}))
    assert (confirmed.member_epoch, confirmed.assigned) == (3, None)
    assigned = world.beat("b")
    assert (assigned.member_epoch, active(assigned)) == (3, {"0": [2, 3]})
    assert world.group.state_name == "Stable"


def test_tasks_are_confirmed_in_the_heartbeat_that_revokes_them(world: StreamsWorld) -> None:
    """The member does not report the tasks any more."""
    world.join()
    world.join("b")

    result = world.beat("a", owned=owned({"0": [0, 1]}))

    assert (result.member_epoch, active(result)) == (3, {"0": [0, 1]})


def test_a_member_that_joins_again_has_no_tasks_to_revoke(world: StreamsWorld) -> None:
    """Its join reports that it has none."""
    world.join()
    world.join("b")

    result = world.join("a")

    assert (result.member_epoch, active(result)) == (3, {"0": [0, 1]})


def test_another_process_keeps_the_tasks(world: StreamsWorld) -> None:
    """The new epoch is that of the member, and nothing is revoked."""
    world.join()
    world.appended()

    result = world.join(process_id="other")

    assert (result.member_epoch, active(result)) == (3, ALL)
    assert world.appended() == ["19 a", "17", "20", "22 a"]
    assert world.group.owners.active("0", 0) == "other"


@pytest.mark.parametrize(("process", "state"), [("other", 1), ("process of a", 3)])
def test_a_task_is_free_if_the_former_process_ran_it_in_another_role(
    world: StreamsWorld, process: str, state: int
) -> None:
    """The owners are those before the heartbeat, in which the member changes its process."""
    world.put_topic("log", 4)
    world.configure_group(streams_num_standby_replicas="1")
    for each in "ab":
        world.join(each, topology=WITH_CHANGELOG)
    world.beat(owned=owned({"0": [0, 1]}))
    world.beat()
    world.beat("b")
    assert world.member().current.assigned.standby == {"0": (2, 3)}
    world.leave("b")

    world.join(topology=WITH_CHANGELOG, process_id=process)

    assert world.member().current.state == state


def test_a_topology_that_was_validated_otherwise_moves_the_epoch(world: StreamsWorld) -> None:
    """As a record of the group may say."""
    world.join()
    world.group.validated_topology_epoch = -1

    assert world.beat().member_epoch == 3
    assert world.group.validated_topology_epoch == 3


def test_a_new_group_configures_its_topology_again(world: StreamsWorld) -> None:
    """The second heartbeat does so, without a record; until then it is as the member sent it."""
    world.join()
    assert world.group.configured is None
    world.appended()

    world.beat()

    assert world.group.configured is not None
    assert world.appended() == []


def test_a_refused_append_changes_nothing(world: StreamsWorld) -> None:
    """The log does not accept the records."""
    world.refuse(ErrorCode.NOT_ENOUGH_REPLICAS)

    assert world.refusal(joining())[0] == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert "g" not in world.coordinator.groups


# --------------------------------------------------------------------------------------- topics


def test_a_topic_that_grows_gets_more_tasks(world: StreamsWorld) -> None:
    """The new task has the new epoch, the others keep theirs."""
    world.join()
    world.put_topic("in", 5)

    result = world.beat()

    assert (result.member_epoch, active(result)) == (3, {"0": [0, 1, 2, 3, 4]})
    assert world.member().current.assigned.active == {"0": {0: 2, 1: 2, 2: 2, 3: 2, 4: 3}}


def test_other_topics_do_not_matter(world: StreamsWorld) -> None:
    """Their changes write nothing."""
    world.join()
    world.beat()
    world.appended()
    world.put_topic("other", 1)

    assert world.beat().member_epoch == 2
    assert world.appended() == []


def test_a_source_topic_that_is_created(world: StreamsWorld) -> None:
    """The group is not ready before, and is assigned by the next heartbeat."""
    other = topology(subtopology("0", "other"))
    first = world.join(topology=other)
    assert (first.member_epoch, active(first)) == (2, {})
    assert details(first) == [(1, "Source topics other are missing.")]
    assert world.group.state_name == "NotReady"

    world.put_topic("other", 1)
    second = world.beat()

    assert (second.member_epoch, active(second), details(second)) == (3, {"0": [0]}, [])
    assert world.group.state_name == "Stable"


def test_a_topic_that_is_deleted_revokes_all_tasks(world: StreamsWorld) -> None:
    """Also if it is a changelog; the tasks return with the topic."""
    world.put_topic("log", 4)
    world.join(topology=WITH_CHANGELOG)
    world.drop_topic("log")

    revoking = world.beat()
    assert (revoking.member_epoch, active(revoking)) == (2, {})
    assert details(revoking) == [(3, "Internal topics are missing: log")]
    assert world.beat(owned=NOTHING).member_epoch == 3
    world.put_topic("log", 4)
    returned = world.beat()

    assert (returned.member_epoch, active(returned)) == (4, ALL)


def test_a_member_waits_once_for_the_tasks_that_it_revoked_itself(world: StreamsWorld) -> None:
    """It confirms the revocation and gets them with the following heartbeat."""
    world.put_topic("log", 4)
    world.join(topology=WITH_CHANGELOG)
    world.drop_topic("log")
    world.beat()
    world.put_topic("log", 4)

    confirmed = world.beat(owned=NOTHING)

    assert (confirmed.member_epoch, confirmed.assigned) == (4, None)
    assert world.member().current.state is MemberState.UNRELEASED_TASKS
    assert active(world.beat()) == ALL


def test_a_changed_number_of_standby_replicas_assigns_the_tasks_again(
    world: StreamsWorld,
) -> None:
    """The next heartbeat of any member does so."""
    world.put_topic("log", 4)
    world.join(topology=WITH_CHANGELOG)
    world.beat()
    world.appended()
    world.configure_group(streams_num_standby_replicas="1")

    world.beat()

    (value,) = world.epochs_written()
    assert value.epoch == 3
    assert value.last_assignment_configs == [
        LastAssignmentConfig(key="num.standby.replicas", value="1")
    ]
    world.join("b", topology=WITH_CHANGELOG)
    world.beat(owned=owned({"0": [0, 1]}))
    world.beat()
    assert world.member().current.assigned.standby == {"0": (2, 3)}


# -------------------------------------------------------------------------------------- statuses


def test_at_most_three_missing_source_topics_are_named(world: StreamsWorld) -> None:
    """They are sorted."""
    sources = topology(subtopology("0", "n3 n1 n5 n2 n4"))

    assert details(world.join(topology=sources)) == [
        (1, "Source topics n1, n2, n3 and 2 additional topics are missing.")
    ]


def test_topics_with_wrong_numbers_of_partitions(world: StreamsWorld) -> None:
    """Source topics that are copartitioned."""
    world.put_topic("in3", 3)
    joined = topology(subtopology("0", "in in3", together=((0, 1), ())))

    assert details(world.join(topology=joined)) == [
        (2, "Following topics do not have the same number of partitions: [{in=4, in3=3}]")
    ]


def test_missing_internal_topics_are_created_with_their_partitions(world: StreamsWorld) -> None:
    """With the replication factor and the configurations of the topology."""
    changelog = InternalTopic(name="log", replication_factor=2, configs=(("k", "v"),))
    with_log = topology(
        Subtopology(subtopology_id="0", source_topics=("in",), state_changelog_topics=(changelog,))
    )

    (missing,) = world.join(topology=with_log).missing_topics

    assert (missing.name, missing.partitions, missing.replication_factor) == ("log", 4, 2)
    assert missing.configs == (("k", "v"),)
    world.put_topic("log", 4)
    assert world.beat().missing_topics == []


def test_statuses_have_an_order(world: StreamsWorld) -> None:
    """Stale topology, delay, topics, shutdown."""
    world.configure_group(streams_initial_rebalance_delay_ms="3000")
    world.join(topology=WITH_CHANGELOG)

    result = world.join("b", topology=replace(TOPOLOGY, epoch=1), shutdown_application=True)

    assert [code for code, _ in details(result)] == [0, 5, 3, 4]

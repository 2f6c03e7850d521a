"""The initial delay of a group and the interval of its assignments."""

from __future__ import annotations

import pytest

from broker.groups.streams.member import Endpoint
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.streams.topics.topologies import subtopology, topology
from tests.broker.groups.streams.world import StreamsWorld, active, details, joining, owned

ALL = {"0": [0, 1, 2, 3]}
INITIAL = (5, "Assignment delayed due to the configured initial rebalance delay.")
INTERVAL = (5, "Assignment delayed due to the configured assignment interval.")


@pytest.fixture
def world() -> StreamsWorld:
    """A node whose groups have an initial delay of three seconds."""
    return StreamsWorld(group_streams_initial_rebalance_delay_ms="3000")


@pytest.fixture
def paced() -> StreamsWorld:
    """A node that assigns tasks once a second."""
    return StreamsWorld(group_streams_assignment_interval_ms="1000")


# ------------------------------------------------------------------------------ the initial delay


def test_the_first_member_gets_no_tasks_before_the_delay(world: StreamsWorld) -> None:
    """It has the epoch of the assignment, 1, and its target is not written."""
    result = world.join()

    assert (result.member_epoch, active(result), details(result)) == (1, {}, [INITIAL])
    assert world.appended() == ["19 a", "23", "17", "22 a"]
    assert (world.group.epoch, world.group.state_name) == (2, "Assigning")


def test_the_tasks_are_assigned_at_the_end_of_the_delay(world: StreamsWorld) -> None:
    """By a write of its own; the members get them with their next heartbeats."""
    world.join()
    world.join("b")
    world.beat()
    world.appended()
    world.wait(2999)
    assert details(world.beat()) == [INITIAL]
    assert world.appended() == []

    world.wait(1)

    assert world.appended() == ["21 a", "21 b", "20"]
    result = world.beat()
    assert (result.member_epoch, details(result)) == (3, [])
    assert len((active(result) or {})["0"]) == 2


def test_later_joins_do_not_extend_the_delay(world: StreamsWorld) -> None:
    """They get no tasks either, and change the group."""
    world.join()
    world.wait(2000)
    assert details(world.join("b")) == [INITIAL]
    world.beat()

    world.wait(1000)

    assert world.group.assignment_epoch == 3


def test_a_group_that_is_empty_again_is_delayed_again(world: StreamsWorld) -> None:
    """A new delay begins with the next member."""
    world.join()
    world.wait(3000)
    world.leave()
    world.wait(10_000)

    assert details(world.join()) == [INITIAL]


def test_the_delay_goes_on_if_all_members_leave(world: StreamsWorld) -> None:
    """A member that joins before its end does not begin another one."""
    world.join()
    world.wait(2000)
    world.leave()
    world.join("b")
    world.beat("b")

    world.wait(1000)

    assert active(world.beat("b")) == ALL


def test_nothing_is_assigned_to_an_empty_group(world: StreamsWorld) -> None:
    """At the end of the delay, also if its topics are missing."""
    world.join(topology=topology(subtopology("0", "other")))
    world.beat()
    world.leave()
    world.appended()

    world.wait(3000)

    assert world.appended() == []


def test_the_next_heartbeat_assigns_the_tasks_of_a_group_without_configured_topology(
    world: StreamsWorld,
) -> None:
    """As in Kafka, if the first member has sent no second heartbeat before the end."""
    world.join()
    world.appended()
    world.wait(3000)
    assert world.appended() == []

    result = world.beat()

    assert (result.member_epoch, active(result), details(result)) == (2, ALL, [])


def test_a_deleted_group_has_no_delay(world: StreamsWorld) -> None:
    """A group of its name begins a new one."""
    world.join()
    world.leave()
    world.wait(2000)
    world.coordinator.delete_group("g")
    world.join()
    world.beat()

    world.wait(1000)
    assert details(world.beat()) == [INITIAL]
    world.wait(2000)
    assert active(world.beat()) == ALL


def test_a_loaded_group_is_not_delayed(world: StreamsWorld) -> None:
    """The next heartbeat assigns its tasks at once."""
    world.join()
    world.restart()

    assert active(world.beat()) == ALL


def test_an_unloaded_group_is_not_assigned(world: StreamsWorld) -> None:
    """Its delay is cancelled."""
    world.join()
    world.beat()
    world.appended()
    ScriptPlayer(world).play(["unload"])

    world.wait(3000)

    assert world.appended() == []


def test_topics_are_created_during_the_delay(world: StreamsWorld) -> None:
    """The response names those that are missing."""
    result = world.join(topology=topology(subtopology("0", "in", logs="log")))

    assert [code for code, _ in details(result)] == [5, 3]
    assert [each.name for each in result.missing_topics] == ["log"]


def test_a_log_that_refuses_the_delayed_assignment(world: StreamsWorld) -> None:
    """The next heartbeat assigns the tasks."""
    world.join()
    world.beat()
    world.refuse(ErrorCode.NOT_ENOUGH_REPLICAS)
    world.wait(3000)
    world.refuse(None)

    assert active(world.beat()) == ALL


def test_a_refused_join_begins_no_delay(world: StreamsWorld) -> None:
    """If its topology cannot be configured."""
    world.refusal(joining(topology=topology(subtopology("0"))))
    world.wait(2000)
    world.join()
    world.beat()

    world.wait(1000)

    assert details(world.beat()) == [INITIAL]


def test_a_join_that_is_refused_after_the_assignment_begins_the_delay(
    world: StreamsWorld,
) -> None:
    """Its endpoint has no partitions, because a source topic is missing."""
    other = topology(subtopology("0", "other"))
    endpoint = Endpoint("h", 1)
    world.refusal(joining(topology=other, user_endpoint=endpoint))
    world.wait(2000)
    world.put_topic("other", 1)
    world.join(topology=other)
    world.beat()

    world.wait(1000)

    assert active(world.beat()) == {"0": [0]}


def test_without_a_delay_the_first_member_gets_its_tasks() -> None:
    """The default."""
    result = StreamsWorld().join()

    assert (result.member_epoch, active(result), details(result)) == (2, ALL, [])


def test_a_group_has_its_own_delay(world: StreamsWorld) -> None:
    """Its setting overrides that of the broker."""
    world.configure_group(streams_initial_rebalance_delay_ms="0")

    assert active(world.join()) == ALL


# ------------------------------------------------------------------------- the assignment interval


def test_the_next_assignment_waits_for_the_interval(paced: StreamsWorld) -> None:
    """The group moves on, and a new member is in the epoch of the last assignment."""
    paced.join()
    paced.wait(400)

    result = paced.join("b")

    assert (result.member_epoch, active(result), details(result)) == (2, {}, [INTERVAL])
    assert (paced.group.epoch, paced.group.state_name) == (3, "Assigning")
    assert details(paced.beat()) == [INTERVAL]


def test_the_first_heartbeat_after_the_interval_assigns_the_tasks(paced: StreamsWorld) -> None:
    """One millisecond earlier none does."""
    paced.join()
    paced.join("b")
    paced.wait(999)
    assert details(paced.beat()) == [INTERVAL]
    paced.appended()

    paced.wait(1)
    result = paced.beat(owned=owned({"0": [0, 1]}))

    assert (result.member_epoch, active(result), details(result)) == (3, {"0": [0, 1]}, [])
    assert paced.appended() == ["21 a", "21 b", "20", "22 a"]


def test_the_interval_is_counted_from_the_last_assignment(paced: StreamsWorld) -> None:
    """Also after a restart, because its time is in the log."""
    paced.join()
    paced.wait(900)
    paced.restart()

    assert details(paced.join("b")) == [INTERVAL]


def test_the_target_of_a_heartbeat_in_the_interval_is_the_stored_one(paced: StreamsWorld) -> None:
    """A member whose epoch is that of the target changes nothing."""
    paced.join()
    paced.join("b")
    paced.appended()

    assert paced.beat().assigned is None
    assert paced.appended() == []


def test_a_group_has_its_own_interval(paced: StreamsWorld) -> None:
    """Without one, each epoch is assigned at once."""
    paced.configure_group(streams_assignment_interval_ms="0")
    paced.join()

    assert paced.join("b").member_epoch == 3


def test_an_assignment_whose_time_is_unknown_is_followed_by_another(paced: StreamsWorld) -> None:
    """The time 0 in a record."""
    paced.join()
    paced.group.assignment_timestamp_ms = 0

    assert paced.join("b").member_epoch == 3


def test_the_end_of_the_initial_delay_respects_the_interval() -> None:
    """A group that was assigned shortly before."""
    world = StreamsWorld(group_streams_assignment_interval_ms="5000")
    world.join()
    world.leave()
    world.configure_group(streams_initial_rebalance_delay_ms="3000")
    world.join()
    world.beat()
    world.appended()

    world.wait(3000)

    assert world.appended() == []
    assert details(world.beat()) == [INTERVAL]

"""Heartbeats that their group refuses, and fields of members that change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.groups.share.requests import ShareGroupHeartbeat
from broker.groups.streams.member import Endpoint
from broker.groups.streams.requests import OwnedTasks
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.streams.topics.topologies import subtopology, topology
from tests.broker.groups.streams.world import (
    NOTHING,
    TOPOLOGY,
    StreamsWorld,
    active,
    beating,
    details,
    joining,
    owned,
)

ALL = {"0": [0, 1, 2, 3]}
NOT_FOUND, UNKNOWN_MEMBER = ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNKNOWN_MEMBER_ID
FENCED, INVALID = ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.INVALID_REQUEST
NO_UPDATES = (INVALID, "Topology updates are not supported yet.")


def fenced(word: str, epoch: int, known: int) -> tuple[int, str]:
    """The error of a member in a wrong epoch."""
    return FENCED, (
        f"The streams group member has a {word} member epoch ({epoch}) than the one known by the "
        f"group coordinator ({known}). The member must abandon all its partitions and rejoin."
    )


@pytest.fixture
def world() -> StreamsWorld:
    """A group in which a has all tasks, in epoch 2."""
    world = StreamsWorld()
    assert active(world.join()) == ALL
    return world


# ------------------------------------------------------------------------------------ the group


@pytest.mark.parametrize(
    ("epoch", "message"), [(-1, "Group g not found."), (1, "Streams group g not found.")]
)
def test_an_unknown_group(epoch: int, message: str) -> None:
    """The message depends on the epoch."""
    assert StreamsWorld().refusal(beating("a", epoch)) == (NOT_FOUND, message)


def become_consumer_group(world: StreamsWorld) -> None:
    """Create an empty consumer group."""
    ScriptPlayer(world).play(["consume a in", "quit a"])


def become_share_group(world: StreamsWorld) -> None:
    """Create an empty share group."""
    for epoch in (0, -1):
        world.coordinator.share.heartbeat(
            ShareGroupHeartbeat(
                group_id="g",
                member_id="a",
                member_epoch=epoch,
                subscribed_topic_names=frozenset({"in"}),
            )
        )


def become_classic_group(world: StreamsWorld) -> None:
    """Create a classic group with a member."""
    ScriptPlayer(world).play(["enter a"])


@pytest.mark.parametrize("epoch", [0, 1, -1])
@pytest.mark.parametrize(
    "become", [become_consumer_group, become_share_group, become_classic_group]
)
def test_a_group_of_another_type(epoch: int, become: Any) -> None:
    """Also if it is an empty one of a newer protocol."""
    world = StreamsWorld()
    become(world)
    request = beating("a", epoch) if epoch else joining()
    before = world.coordinator.groups["g"]

    assert world.refusal(request) == (NOT_FOUND, "Group g is not a streams group.")
    assert world.coordinator.groups["g"] is before


@pytest.mark.parametrize("member_id", ["a", "b"])
def test_a_full_group(member_id: str) -> None:
    """Also a member that joins again is refused, as in Kafka."""
    world = StreamsWorld(group_streams_max_size="1")
    world.join()

    assert world.refusal(joining(member_id)) == (
        ErrorCode.GROUP_MAX_SIZE_REACHED,
        "The streams group has reached its maximum capacity of 1 members.",
    )


# ----------------------------------------------------------------------------------- the member


@pytest.mark.parametrize("epoch", [2, -1])
def test_an_unknown_member(world: StreamsWorld, epoch: int) -> None:
    """It did not join, or it was removed."""
    assert world.refusal(beating("x", epoch)) == (
        UNKNOWN_MEMBER,
        "Member x is not a member of group g.",
    )


def test_a_greater_epoch(world: StreamsWorld) -> None:
    """Also if the member reports its tasks."""
    assert world.refusal(beating("a", 9, owned=owned(ALL))) == fenced("greater", 9, 2)


def test_an_older_epoch_than_the_previous_one(world: StreamsWorld) -> None:
    """Whatever tasks the member reports."""
    world.join("b")
    world.beat("a", owned=owned({"0": [0, 1]}))

    assert world.refusal(beating("a", 1, owned=NOTHING)) == fenced("smaller", 1, 3)


@pytest.mark.parametrize(
    "tasks",
    [
        OwnedTasks(),
        owned({"0": [0, 1, 2]}),
        owned({"1": [0]}),
        owned({}, {"0": [0]}),
    ],
)
def test_the_previous_epoch_without_its_tasks_or_with_others(tasks: OwnedTasks) -> None:
    """The member must report its tasks, and no others."""
    world = StreamsWorld()
    world.join()
    world.join("b")
    world.beat("a", owned=owned({"0": [0, 1]}))

    assert world.refusal(beating("a", 2, owned=tasks)) == fenced("smaller", 2, 3)


@pytest.mark.parametrize("tasks", [NOTHING, owned({"0": [0]}), owned({"0": [1, 0]})])
def test_the_previous_epoch_with_assigned_tasks(tasks: OwnedTasks) -> None:
    """The last response may be lost; it is answered with the present epoch."""
    world = StreamsWorld()
    world.join()
    world.join("b")
    world.beat("a", owned=owned({"0": [0, 1]}))

    result = world.send(beating("a", 2, owned=tasks))

    assert (result.member_epoch, result.assigned) == (3, None)


def test_a_member_that_joins_again_is_never_fenced(world: StreamsWorld) -> None:
    """It gets its tasks again, and writes nothing."""
    world.appended()

    result = world.join()

    assert (result.member_epoch, active(result)) == (2, ALL)
    assert world.appended() == []


# --------------------------------------------------------------------------------- the topology


@pytest.mark.parametrize("member_id", ["a", "b"])
@pytest.mark.parametrize(
    "other",
    [
        topology(subtopology("0", "other")),
        topology(subtopology("1", "in")),
        topology(subtopology("0", "in"), subtopology("1", "in")),
        replace(TOPOLOGY, epoch=4),
        replace(topology(subtopology("0", "other")), epoch=4),
    ],
)
def test_a_topology_cannot_be_changed(world: StreamsWorld, member_id: str, other: Any) -> None:
    """Neither by a member nor by one that joins."""
    assert world.refusal(joining(member_id, topology=other)) == NO_UPDATES


def test_an_empty_group_keeps_its_topology(world: StreamsWorld) -> None:
    """Until it is deleted."""
    world.leave()
    other = topology(subtopology("0", "other"))
    assert world.refusal(joining(topology=other)) == NO_UPDATES

    world.coordinator.delete_group("g")

    assert world.join(topology=other).member_epoch == 2


def test_an_older_topology_is_ignored(world: StreamsWorld) -> None:
    """The status is in every response to its member."""
    old = replace(topology(subtopology("0", "other")), epoch=1)
    stale = (0, "The member's topology epoch 1 is behind the group's topology epoch 3.")

    assert details(world.join("b", topology=old)) == [stale]
    assert details(world.beat("b")) == [stale]
    assert world.group.topology == TOPOLOGY


@pytest.mark.parametrize(
    "bad",
    [
        topology(subtopology("0", "in"), subtopology("0", "in")),
        replace(TOPOLOGY, epoch=-1),
    ],
)
def test_a_topology_that_kafka_cannot_read(bad: Any) -> None:
    """An id occurs twice, or the epoch is negative; the error has no message."""
    assert StreamsWorld().refusal(joining(topology=bad)) == (ErrorCode.UNKNOWN_SERVER_ERROR, None)


def test_a_client_tag_that_occurs_twice() -> None:
    """The error has no message."""
    tags = [("zone", "1"), ("zone", "1")]

    assert StreamsWorld().refusal(joining(client_tags=tags)) == (
        ErrorCode.UNKNOWN_SERVER_ERROR,
        None,
    )


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        (owned({"x": [0]}), "Subtopology x does not exist in the topology."),
        (
            owned({"0": [0, 7]}),
            "Task 7 for subtopology 0 is invalid. Number of tasks for this subtopology: 4",
        ),
        (
            owned({}, {"0": [4]}),
            "Task 4 for subtopology 0 is invalid. Number of tasks for this subtopology: 4",
        ),
        (
            owned({"0": [-1]}),
            "Task -1 for subtopology 0 is invalid. Number of tasks for this subtopology: 4",
        ),
    ],
)
def test_a_task_that_does_not_exist(world: StreamsWorld, tasks: OwnedTasks, message: str) -> None:
    """Active and standby tasks are checked."""
    assert world.refusal(beating("a", 2, owned=tasks)) == (INVALID, message)


def test_tasks_are_not_checked_while_topics_are_missing(world: StreamsWorld) -> None:
    """The number of tasks is not known."""
    world.drop_topic("in")

    assert active(world.beat(owned=owned({"x": [9]}))) == {}


@pytest.mark.parametrize(
    ("invalid", "message"),
    [
        (
            topology(subtopology("0")),
            "No source topics found for subtopology 0",
        ),
        (
            topology(subtopology("0", "in", reads={"r": 0})),
            (
                "Failed to compute number of partitions for all repartition topics, because a "
                "repartition source topic is never used as a sink topic."
            ),
        ),
        (
            topology(subtopology("0", reads={"r": 0}, writes="r")),
            (
                "Failed to compute number of partitions for all repartition topics. There may be "
                "loops in the topology that cannot be resolved."
            ),
        ),
    ],
)
def test_a_topology_that_cannot_be_configured(invalid: Any, message: str) -> None:
    """The group is not created."""
    world = StreamsWorld()

    assert world.refusal(joining(topology=invalid)) == (
        ErrorCode.STREAMS_INVALID_TOPOLOGY,
        message,
    )
    assert "g" not in world.coordinator.groups


# --------------------------------------------------------------------------- refusals in general


REFUSED = [
    joining("a", topology=topology(subtopology("1"))),
    joining("b", client_tags=[("k", ""), ("k", "")]),
    beating("a", 9),
    beating("x", 2),
    beating("a", 2, owned=owned({"0": [9]})),
    beating("a", 2, instance_id="i"),
]


@pytest.mark.parametrize("request_", REFUSED)
def test_a_refused_heartbeat_changes_nothing(world: StreamsWorld, request_: Any) -> None:
    """Neither records, nor the group, nor the session of the member."""
    before = world.group
    world.appended()
    world.wait(40_000)

    world.refusal(request_)

    assert world.group is before
    assert world.appended() == []
    world.wait(5000)
    assert world.group.is_empty


def test_a_node_that_does_not_coordinate_the_group(world: StreamsWorld) -> None:
    """It checks the request itself first."""
    ScriptPlayer(world).play(["unload"])

    assert world.refusal(joining())[0] == ErrorCode.NOT_COORDINATOR
    assert world.refusal(joining(rack_id=""))[0] == INVALID


# ----------------------------------------------------------------------------- changes of members


FIELDS: list[tuple[dict[str, Any], str, Any]] = [
    ({"rack_id": "r"}, "rack_id", "r"),
    ({"rebalance_timeout_ms": 5}, "rebalance_timeout_ms", 5),
    ({"process_id": "p"}, "process_id", "p"),
    ({"user_endpoint": Endpoint("h", 9)}, "user_endpoint", Endpoint("h", 9)),
    ({"client_tags": [("b", "2"), ("a", "1")]}, "client_tags", {"a": "1", "b": "2"}),
    ({"client_id": "other"}, "client_id", "other"),
    ({"client_host": "/other"}, "client_host", "/other"),
]


@pytest.mark.parametrize(("fields", "name", "value"), FIELDS)
def test_a_field_that_changes_moves_the_group_to_a_new_epoch(
    world: StreamsWorld, fields: dict[str, Any], name: str, value: Any
) -> None:
    """Also the client id, which is that of the last request."""
    world.appended()

    assert world.beat(**fields).member_epoch == 3
    assert getattr(world.member(), name) == value
    assert world.appended()[:2] == ["19 a", "17"]


@pytest.mark.parametrize(("fields", "name", "value"), FIELDS[:-2])
def test_a_field_that_is_absent_is_unchanged(
    world: StreamsWorld, fields: dict[str, Any], name: str, value: Any
) -> None:
    """None can be removed."""
    epoch = world.beat(**fields).member_epoch

    assert world.beat().member_epoch == epoch
    assert getattr(world.member(), name) == value


def test_a_member_without_these_fields(world: StreamsWorld) -> None:
    """They have defaults."""
    member = world.member()

    assert (member.rack_id, member.user_endpoint, member.client_tags) == (None, None, {})
    assert (member.instance_id, member.topology_epoch) == (None, 3)
    world.join("b", process_id=None)
    assert world.member("b").process_id == ""

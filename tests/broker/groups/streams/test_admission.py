"""Heartbeats that their group refuses, and fields of members that change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from broker.common.topic_partition import TopicPartition
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
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


# ------------------------------------------------------------------------------------ conversions


def test_an_empty_classic_group_becomes_a_streams_group() -> None:
    """Its tombstone is the first record of the batch; its offsets stay."""
    world = StreamsWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "commit a in-0=5", "leave a"])
    world.appended()
    log = world.logs[world.coordinator.runtime.partition_for("g")]
    batches = log.batches

    assert active(world.join()) == ALL

    assert world.appended() == ["gone 2", "19 a", "23", "17", "21 a", "20", "22 a"]
    assert log.batches == batches + 1
    assert player.play(["offsets"]) == ["0 offsets in-0=5"]
    world.restart()
    assert world.group.state_name == "Stable"


def test_a_group_with_offsets_only_becomes_a_streams_group() -> None:
    """The batch begins with the tombstone of its generation, which it does not have."""
    world = StreamsWorld()
    world.coordinator.offsets.commit(
        OffsetCommit(group_id="g", commits=[Commit(TopicPartition("in", 0), 5)])
    )
    world.end_request()
    world.appended()

    world.join()

    assert world.appended()[0] == "gone 2"
    assert len(world.coordinator.offsets.fetch("g")) == 1


def test_a_classic_group_that_is_replaced_has_no_timeouts() -> None:
    """Here of a client that has got a member id and has not joined with it."""
    world = StreamsWorld()
    ScriptPlayer(world).play(["join b"])

    world.join()

    timeouts = [(each.member_id, each.kind) for each in world.coordinator.member_timeouts()]
    assert timeouts == [("a", "session")]
    world.wait(10_000)
    assert list(world.group.members) == ["a"]


def test_a_classic_group_keeps_its_type_if_the_heartbeat_is_refused() -> None:
    """Nothing is written."""
    world = StreamsWorld()
    ScriptPlayer(world).play(["enter a", "leave a"])
    world.appended()

    world.refusal(joining(topology=topology(subtopology("0"))))

    assert world.coordinator.groups["g"].group_type == "classic"
    assert world.appended() == []


def test_an_empty_streams_group_becomes_a_classic_group(world: StreamsWorld) -> None:
    """Its tombstones precede the generation in one batch; its offsets stay."""
    world.leave()
    player = ScriptPlayer(world)
    player.play(["commit - in-0=5"])
    world.appended()

    (response,) = player.play(["enter b"])

    assert response.startswith("0 b join generation 1")
    assert world.appended()[:4] == ["gone 20", "gone 17", "gone 23", "2"]
    assert player.play(["offsets"]) == ["0 offsets in-0=5"]


def test_a_classic_member_cannot_join_a_streams_group_with_members(world: StreamsWorld) -> None:
    """Its protocol is inconsistent, and the response has no member id."""
    assert ScriptPlayer(world).play(["join b"]) == ["0 b join INCONSISTENT_GROUP_PROTOCOL"]


def test_requests_of_classic_members(world: StreamsWorld) -> None:
    """They are not members."""
    player = ScriptPlayer(world)

    assert player.play(["sync b", "heartbeat b as=a", "leave b"]) == [
        "0 b sync UNKNOWN_MEMBER_ID",
        "0 b heartbeat UNKNOWN_MEMBER_ID",
        "0 b leave UNKNOWN_MEMBER_ID",
    ]


@pytest.mark.parametrize("is_empty", [False, True])
@pytest.mark.parametrize("epoch", [0, 2, -1])
def test_members_of_other_protocols(world: StreamsWorld, epoch: int, is_empty: bool) -> None:
    """A streams group is neither a consumer nor a share group."""
    if is_empty:
        world.leave()
    names = frozenset({"in"})
    consumer = ConsumerGroupHeartbeat(
        group_id="g",
        member_id="b",
        member_epoch=epoch,
        rebalance_timeout_ms=1000,
        subscribed_topic_names=names,
        owned={},
    )
    share = ShareGroupHeartbeat(
        group_id="g", member_id="b", member_epoch=epoch, subscribed_topic_names=names
    )

    for send, kind in (
        (lambda: world.coordinator.consumers.heartbeat(consumer, 1), "consumer"),
        (lambda: world.coordinator.share.heartbeat(share), "share"),
    ):
        with pytest.raises(Exception, match=f"Group g is not a {kind} group") as refused:
            send()
        assert refused.value.code is NOT_FOUND  # type: ignore[attr-defined]  # an ApiError

"""The endpoints of applications and their partitions, for interactive queries."""

from __future__ import annotations

import pytest

from broker.groups.streams.member import Endpoint
from broker.groups.streams.requests import StreamsGroupHeartbeatResult
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.streams.topics.topologies import subtopology, topology
from tests.broker.groups.streams.world import (
    NOTHING,
    WITH_CHANGELOG,
    StreamsWorld,
    active,
    beating,
    details,
    joining,
    owned,
)

HOST_A, HOST_B = Endpoint("a", 1), Endpoint("b", 2)
UNKNOWN = (ErrorCode.UNKNOWN_SERVER_ERROR, None)


@pytest.fixture
def world() -> StreamsWorld:
    return StreamsWorld()


def endpoints(
    result: StreamsGroupHeartbeatResult,
) -> dict[str, tuple[list[tuple[str, tuple[int, ...]]], list[tuple[str, tuple[int, ...]]]]] | None:
    """The active and standby partitions by host; None if the response has no endpoints."""
    if result.endpoints is None:
        return None
    return {each.endpoint.host: (each.active, each.standby) for each in result.endpoints}


def test_the_join_that_creates_the_group_has_the_endpoint_and_the_epoch_0(
    world: StreamsWorld,
) -> None:
    """As in Kafka, which bumps the epoch of a group that it throws away."""
    result = world.join(user_endpoint=HOST_A)

    assert endpoints(result) == {"a": ([("in", (0, 1, 2, 3))], [])}
    assert result.endpoint_information_epoch == 0
    later = world.beat()
    assert (endpoints(later), later.endpoint_information_epoch) == (None, 0)


def test_a_member_with_an_endpoint_that_gets_tasks_moves_the_epoch(world: StreamsWorld) -> None:
    """The others learn of it when they send an older epoch."""
    world.join(user_endpoint=HOST_A)
    joined = world.join("b", user_endpoint=HOST_B)
    assert joined.endpoint_information_epoch == 1
    assert endpoints(joined) == {"a": ([("in", (0, 1, 2, 3))], []), "b": ([], [])}

    revoked = world.beat("a", owned=owned({"0": [0, 1]}))

    assert revoked.endpoint_information_epoch == 2
    assert endpoints(revoked) == {"b": ([], []), "a": ([("in", (0, 1))], [])}
    assert list(endpoints(revoked) or {}) == ["b", "a"]
    assert endpoints(world.beat("b", endpoint_information_epoch=3)) is None


def test_a_member_without_an_endpoint_does_not_move_the_epoch(world: StreamsWorld) -> None:
    """Its response lists those of the others."""
    world.join(user_endpoint=HOST_A)
    world.beat()

    result = world.join("b")

    assert result.endpoint_information_epoch == 0
    assert endpoints(result) is None
    known = world.beat("b", endpoint_information_epoch=7)
    assert endpoints(known) == {"a": ([("in", (0, 1, 2, 3))], [])}


def test_a_group_without_endpoints_has_an_empty_list(world: StreamsWorld) -> None:
    """If the member sends another epoch than that of the group."""
    world.join()

    assert endpoints(world.beat(endpoint_information_epoch=1)) == {}


def test_a_join_moves_the_epoch_also_without_new_tasks(world: StreamsWorld) -> None:
    """Its response has the tasks."""
    world.join(user_endpoint=HOST_A)

    assert world.join(user_endpoint=HOST_A).endpoint_information_epoch == 1


def test_the_epoch_is_lost_with_the_coordinator(world: StreamsWorld) -> None:
    """It begins with 0 again."""
    world.join(user_endpoint=HOST_A)
    assert world.join(user_endpoint=HOST_A).endpoint_information_epoch == 1
    world.restart()

    assert world.beat().endpoint_information_epoch == 0


def test_a_group_that_was_a_classic_one_has_the_epoch_of_its_first_member(
    world: StreamsWorld,
) -> None:
    """The response of the join has it, and the group forgets it, as in Kafka."""
    ScriptPlayer(world).play(["enter a", "leave a"])

    assert world.join(user_endpoint=HOST_A).endpoint_information_epoch == 1
    assert world.beat().endpoint_information_epoch == 0


def test_standby_tasks_have_partitions(world: StreamsWorld) -> None:
    """Those of the source topics, too."""
    world.put_topic("log", 4)
    world.configure_group(streams_num_standby_replicas="1")
    world.join(topology=WITH_CHANGELOG, user_endpoint=HOST_A)
    world.join("b", topology=WITH_CHANGELOG, user_endpoint=HOST_B)
    world.beat(owned=owned({"0": [0, 1]}))

    result = world.beat("b", endpoint_information_epoch=-1)

    assert (endpoints(result) or {})["b"] == ([("in", (2, 3))], [("in", (0, 1))])


def test_missing_source_topics_refuse_a_member_with_an_endpoint(world: StreamsWorld) -> None:
    """Without a message; the group is not created."""
    other = topology(subtopology("0", "other"))

    assert world.refusal(joining(topology=other, user_endpoint=HOST_A)) == UNKNOWN
    assert "g" not in world.coordinator.groups
    assert list(world.coordinator.member_timeouts()) == []


def test_a_refused_member_has_no_session(world: StreamsWorld) -> None:
    """It is not in the group."""
    other = topology(subtopology("0", "other"))
    world.join(topology=other)

    world.refusal(joining("b", topology=other, user_endpoint=HOST_B))

    assert [each.member_id for each in world.coordinator.member_timeouts()] == ["a"]


def test_missing_internal_topics_do_not(world: StreamsWorld) -> None:
    """The number of tasks is known."""
    result = world.join(topology=WITH_CHANGELOG, user_endpoint=HOST_A)

    assert endpoints(result) == {"a": ([], [])}
    assert [code for code, _ in details(result)] == [3]


def test_a_deleted_source_topic_refuses_heartbeats_until_it_is_back(world: StreamsWorld) -> None:
    """If the tasks would change, or the endpoints are sent; nothing is written."""
    world.join(user_endpoint=HOST_A)
    world.beat()
    world.appended()
    world.drop_topic("in")

    assert world.refusal(beating("a", 2)) == UNKNOWN
    assert world.refusal(beating("a", 2, owned=NOTHING)) == UNKNOWN
    assert world.appended() == []
    assert world.group.state_name == "Stable"
    world.put_topic("in", 4)
    assert active(world.beat(owned=owned({"0": [0, 1, 2, 3]}))) is None


def test_a_heartbeat_refused_because_of_endpoints_keeps_what_is_not_in_records(
    world: StreamsWorld,
) -> None:
    """As in Kafka: the epoch of the endpoints, and a requested shutdown."""
    world.join(user_endpoint=HOST_A)
    world.beat()
    world.drop_topic("in")
    world.refusal(beating("a", 2, shutdown_application=True))
    assert world.group.endpoint_information_epoch == 1

    world.put_topic("in", 4)

    assert [code for code, _ in details(world.beat(endpoint_information_epoch=1))] == [4]


def test_a_heartbeat_refused_because_of_endpoints_keeps_the_session_alive(
    world: StreamsWorld,
) -> None:
    """The session of the member begins again."""
    world.join(user_endpoint=HOST_A)
    world.beat()
    world.drop_topic("in")
    world.wait(40_000)
    world.refusal(beating("a", 2))

    world.wait(44_000)

    assert "a" in world.group.members
    world.wait(1000)
    assert world.group.is_empty

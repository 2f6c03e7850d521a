"""Members that leave or request the shutdown of the application."""

from __future__ import annotations

import pytest

from protocol.errors import ErrorCode
from tests.broker.groups.streams.world import (
    StreamsWorld,
    active,
    beating,
    details,
)

ALL = {"0": [0, 1, 2, 3]}
SHUTDOWN = (
    4,
    (
        "Streams group member a encountered a fatal error and requested a shutdown for the entire "
        "application."
    ),
)


@pytest.fixture
def world() -> StreamsWorld:
    return StreamsWorld()


# -------------------------------------------------------------------------------------- shutdown


def test_a_shutdown_is_reported_to_all_members(world: StreamsWorld) -> None:
    """The first request counts."""
    world.join()
    world.join("b")
    assert details(world.beat(shutdown_application=True)) == [SHUTDOWN]

    assert details(world.beat("b", shutdown_application=True)) == [SHUTDOWN]
    assert details(world.beat("b")) == [SHUTDOWN]


def test_a_shutdown_ends_with_the_last_member(world: StreamsWorld) -> None:
    """A member that joins later does not get it."""
    world.join()
    world.beat(shutdown_application=True)
    world.leave()

    assert details(world.join()) == []


def test_a_member_that_leaves_requests_a_shutdown(world: StreamsWorld) -> None:
    """Its own response has no status."""
    world.join()
    world.join("b")

    assert details(world.leave(shutdown_application=True)) == []
    assert details(world.beat("b")) == [SHUTDOWN]


def test_an_unknown_member_requests_a_shutdown(world: StreamsWorld) -> None:
    """As in Kafka, although it is refused."""
    world.join("b")

    request = beating("a", -1, shutdown_application=True)

    assert world.refusal(request)[0] == ErrorCode.UNKNOWN_MEMBER_ID
    assert details(world.beat("b")) == [SHUTDOWN]


def test_the_join_that_creates_the_group_loses_its_shutdown(world: StreamsWorld) -> None:
    """As in Kafka: only its own response has it."""
    assert details(world.join(shutdown_application=True)) == [SHUTDOWN]

    assert details(world.beat()) == []


# -------------------------------------------------------------------------------------- departures


def test_a_member_leaves(world: StreamsWorld) -> None:
    """The others get its tasks with their next heartbeats."""
    world.join()
    world.join("b")
    world.appended()

    result = world.leave()

    assert (result.member_id, result.member_epoch, result.heartbeat_interval_ms) == ("a", -1, 0)
    assert (result.assigned, result.endpoints, details(result)) == (None, None, [])
    assert world.appended() == ["gone 22 a", "gone 21 a", "gone 19 a", "17"]
    assert active(world.beat("b")) == ALL


def test_a_departure_keeps_what_the_epoch_depends_on(world: StreamsWorld) -> None:
    """The new epoch has the same topics, topology and settings."""
    world.join()
    (before,) = world.epochs_written()

    world.leave()

    (after,) = world.epochs_written()
    assert after.epoch == 3
    assert (after.metadata_hash, after.validated_topology_epoch) == (
        before.metadata_hash,
        before.validated_topology_epoch,
    )
    assert after.last_assignment_configs == before.last_assignment_configs
    assert (world.group.state_name, world.group.assignment_epoch) == ("Empty", 2)


def test_a_member_without_a_target_leaves(world: StreamsWorld) -> None:
    """The tombstone of its target is written, too."""
    world.configure_group(streams_initial_rebalance_delay_ms="3000")
    world.join()
    world.appended()

    world.leave()

    assert world.appended() == ["gone 22 a", "gone 21 a", "gone 19 a", "17"]

"""Removing transactional ids that were not used for a long time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.common.errors import ApiError
from broker.steps.queue import finish
from broker.transactions.expiration import remove_expired
from broker.transactions.requests import InitProducerIdResult
from protocol.errors import ErrorCode
from tests.broker.transactions.test_initialization import IDLE, value
from tests.broker.transactions.world import ID, World

EXPIRATION_MS = 10_000


@pytest.fixture
def world() -> World:
    return World()


def expire(world: World) -> None:
    """Remove the ids that are ten seconds old now."""
    finish(remove_expired(world.coordinator.states, EXPIRATION_MS, world.clock.wall_ms()))
    world.actions.try_complete_actions()


def has_expired(world: World) -> bool:
    """Whether the id is unknown."""
    try:
        world.coordinator.metadata_of(ID)
    except ApiError as error:
        return error.code is ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
    return False


@pytest.mark.parametrize("state", [*IDLE, "ONGOING", "PREPARE_COMMIT", "PREPARE_ABORT"])
def test_an_id_expires_without_a_transaction(world: World, state: str) -> None:
    """Its last transition must be old enough."""
    last_ms = world.clock.wall_ms()
    world.put(replace(value(state), last_update_ms=last_ms))
    world.wait(EXPIRATION_MS - 1)
    expire(world)
    assert not has_expired(world)
    world.wait(1)

    expire(world)

    assert has_expired(world) is (state in IDLE)


def test_an_expired_id_is_removed_from_the_log(world: World) -> None:
    """A later session has a new producer id; the old identity is ignored."""
    world.init()
    world.wait(EXPIRATION_MS)

    expire(world)

    assert world.log.records[-1].value is None  # type: ignore[union-attr]  # it is a record
    world.reload()
    assert has_expired(world)
    assert world.add() == [ErrorCode.INVALID_PRODUCER_ID_MAPPING]
    assert world.init((0, 0)) == [InitProducerIdResult(ErrorCode.NONE, 1, 0)]


def test_an_expired_id_is_busy_until_its_tombstone_is_replicated(world: World) -> None:
    """Then it is removed."""
    world.init()
    world.wait(EXPIRATION_MS)
    world.log.slow = True

    expire(world)

    assert world.init() == [(ErrorCode.CONCURRENT_TRANSACTIONS, -1, -1)]
    world.log.replicate()
    assert has_expired(world)


def test_an_id_whose_tombstone_was_refused_is_kept(world: World) -> None:
    """It expires in the next run."""
    world.init()
    world.wait(EXPIRATION_MS)
    world.log.refusal = ErrorCode.NOT_ENOUGH_REPLICAS
    expire(world)
    assert not has_expired(world)

    world.log.refusal = None
    expire(world)

    assert has_expired(world)


def test_an_id_with_a_transition_in_progress_is_kept(world: World) -> None:
    """It is in use."""
    world.init()
    world.wait(EXPIRATION_MS)
    world.log.slow = True
    responses = world.init()

    expire(world)

    world.log.replicate()
    assert [each.error for each in responses] == [ErrorCode.NONE]
    assert not has_expired(world)


def test_many_ids_expire_in_batches(world: World) -> None:
    """A batch has at most 64 KiB of keys, and those of one partition."""
    names = [f"{number:030000}" for number in range(6)]
    for name in names:
        world.init(transactional_id=name)
    world.wait(EXPIRATION_MS)
    before = sum(log.batches for log in world.logs)

    expire(world)

    assert world.coordinator.states.partitions() == [0, 1]
    assert not [*world.coordinator.states.entries(0), *world.coordinator.states.entries(1)]
    of_partition = [
        sum(world.coordinator.runtime.partition_for(name) == index for name in names)
        for index in (0, 1)
    ]
    batches = sum(-(-count // 2) for count in of_partition)
    assert sum(log.batches for log in world.logs) - before == batches

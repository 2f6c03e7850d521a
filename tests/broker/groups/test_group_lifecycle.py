"""The groups of a partition are adopted and dropped in slices; slices are counted, not timed."""

from __future__ import annotations

from itertools import count

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import parse_config
from broker.coordinators.coordinator_log import TransactionalProducer
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.classic.requests import JoinGroup, JoinResult
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from protocol.errors import ErrorCode
from tests.broker.groups.virtual_world import VirtualWorld
from tests.finished_slices import finish_slices

GROUPS = [f"g{number}" for number in range(40)]
T0 = TopicPartition("t", 0)
PRODUCER = TransactionalProducer(5, 0)


@pytest.fixture
def world() -> VirtualWorld:
    """A node with many groups in one partition, whose slices have two pieces from now on."""
    world = VirtualWorld(
        parse_config(
            {"offsets.topic.num.partitions": "1", "group.initial.rebalance.delay.ms": "3000"}
        )
    )
    for group_id in GROUPS:
        commit(world, group_id, T0)
    world.steps.now_ms = count().__next__
    return world


def commit(
    world: VirtualWorld,
    group_id: str,
    *partitions: TopicPartition,
    producer: TransactionalProducer | None = None,
) -> None:
    """Commit offset 1 of the partitions."""
    commits = [Commit(each, 1) for each in partitions]
    world.coordinator.offsets.commit(
        OffsetCommit(group_id=group_id, commits=commits, producer=producer)
    )
    world.end_request()


def adopt_some(world: VirtualWorld) -> None:
    """Restart the coordinator; a slice ends when it has adopted two groups."""
    world.steps.now_ms = lambda: float(len(world.coordinator.groups))
    world.restart()


def refusal(world: VirtualWorld, group_id: str = GROUPS[0]) -> ErrorCode | None:
    """The error of an OffsetFetch."""
    try:
        world.coordinator.offsets.fetch(group_id)
    except ApiError as error:
        return error.code
    return None


def committed(world: VirtualWorld) -> dict[str, int]:
    """The number of replicated offsets of each group."""
    groups = world.coordinator.coordinated()
    return {each.group_id: len(world.coordinator.offsets.fetch(each.group_id)) for each in groups}


def test_many_loaded_groups_are_adopted_in_slices(world: VirtualWorld) -> None:
    """Requests are refused until all are adopted, and no group is listed."""
    adopt_some(world)
    assert 0 < len(world.coordinator.groups) < len(GROUPS)
    assert refusal(world) is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert list(world.coordinator.coordinated()) == []

    finish_slices(world.steps)

    assert committed(world) == dict.fromkeys(GROUPS, 1)


def test_many_groups_are_dropped_in_slices(world: VirtualWorld) -> None:
    """Requests are refused from the beginning, and no group is listed."""
    world.coordinator.runtime.on_resignation(0)
    assert 0 < len(world.coordinator.groups) < len(GROUPS)
    assert {refusal(world, each) for each in GROUPS} == {ErrorCode.NOT_COORDINATOR}
    assert list(world.coordinator.coordinated()) == []

    finish_slices(world.steps)

    states = world.coordinator.states
    assert (states.groups, list(states.offsets.written.groups_with("t"))) == ({}, [])


def test_groups_that_were_adopted_are_dropped_if_the_node_resigns(world: VirtualWorld) -> None:
    """The next load adopts all groups."""
    adopt_some(world)
    runtime = world.coordinator.runtime
    runtime.on_resignation(0)
    finish_slices(world.steps)
    assert world.coordinator.groups == {}

    runtime.on_election(0, world.logs[0])
    finish_slices(world.steps)

    assert committed(world) == dict.fromkeys(GROUPS, 1)


def test_groups_are_dropped_before_the_partition_is_adopted_again(world: VirtualWorld) -> None:
    """The state is that of the log, which a new leader may have truncated."""
    runtime, log = world.coordinator.runtime, world.logs[0]
    runtime.on_resignation(0)
    log.records[30:] = []
    log.high_watermark = 30
    runtime.on_election(0, log)
    assert refusal(world) is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS

    finish_slices(world.steps)

    assert committed(world) == dict.fromkeys(GROUPS[:30], 1)


def test_a_group_with_many_offsets_is_adopted_in_slices(world: VirtualWorld) -> None:
    """Also those that are pending."""
    many = [TopicPartition("t", number) for number in range(200)]
    commit(world, GROUPS[0], *many)
    commit(world, GROUPS[0], *many, producer=PRODUCER)
    world.steps.slices_run = 0
    world.restart()
    finish_slices(world.steps)

    assert world.steps.slices_run > len(GROUPS) + 2 * 2 * len(many) / 64
    offsets = world.coordinator.offsets
    assert (len(offsets.fetch(GROUPS[0])), offsets.unstable(GROUPS[0])) == (200, set(many))


def test_offsets_are_not_fetched_before_they_are_replicated(world: VirtualWorld) -> None:
    """Those of a log whose end the followers have not fetched."""
    log = world.logs[0]
    log.slow, log.high_watermark = True, 0
    world.restart()
    finish_slices(world.steps)
    assert committed(world) == dict.fromkeys(GROUPS, 0)

    log.replicate()
    finish_slices(world.steps)

    assert committed(world) == dict.fromkeys(GROUPS, 1)


def test_a_waiting_join_is_refused_in_a_later_slice(world: VirtualWorld) -> None:
    """With the error of a node that does not coordinate the group."""
    results: list[JoinResult] = []
    request = JoinGroup(
        group_id="last",
        member_id="",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        protocol_type="consumer",
        protocols=(MemberProtocol("p", b""),),
    )
    world.coordinator.join_group(request, results.append)
    world.end_request()
    world.coordinator.runtime.on_resignation(0)
    assert results == []

    finish_slices(world.steps)

    assert [each.error for each in results] == [ErrorCode.NOT_COORDINATOR]


def test_offsets_below_the_high_watermark_are_fetched_after_the_load(world: VirtualWorld) -> None:
    """Later ones when the loaded end is replicated, as in Kafka."""
    group_id = GROUPS[0]
    world.slow_down()
    commit(world, group_id, TopicPartition("t", 1))
    commit(world, "new", T0)

    world.restart()
    finish_slices(world.steps)
    before = committed(world)
    world.replicate()
    finish_slices(world.steps)

    assert before == {**dict.fromkeys(GROUPS, 1), "new": 0}
    assert committed(world) == {**dict.fromkeys(GROUPS, 1), group_id: 2, "new": 1}


def test_a_deletion_takes_effect_when_the_loaded_end_is_replicated(world: VirtualWorld) -> None:
    """The offset that it deletes is fetched until then."""
    world.slow_down()
    world.coordinator.offsets.delete(GROUPS[0], [T0])
    world.end_request()

    world.restart()
    finish_slices(world.steps)
    before = list(world.coordinator.offsets.fetch(GROUPS[0]))
    world.replicate()
    finish_slices(world.steps)

    assert before == [T0]
    assert world.coordinator.offsets.fetch(GROUPS[0]) == {}


def test_a_transaction_ends_when_the_loaded_marker_is_replicated(world: VirtualWorld) -> None:
    """Its offsets are pending until then."""
    group_id = GROUPS[0]
    commit(world, group_id, TopicPartition("t", 1), producer=PRODUCER)
    world.slow_down()
    world.coordinator.complete_transaction(
        0, PRODUCER.producer_id, PRODUCER.producer_epoch, 0, True, 0, lambda _error: None
    )

    world.restart()
    finish_slices(world.steps)
    offsets = world.coordinator.offsets
    before = set(offsets.fetch(group_id)), offsets.unstable(group_id)
    world.replicate()
    finish_slices(world.steps)

    assert before == ({T0}, {TopicPartition("t", 1)})
    assert set(offsets.fetch(group_id)) == {T0, TopicPartition("t", 1)}
    assert offsets.unstable(group_id) == frozenset()

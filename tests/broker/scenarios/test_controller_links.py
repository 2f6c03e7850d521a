"""Rules about the links between nodes and the controller."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import WrongState
from broker.links.direction import End
from protocol.errors import ErrorCode
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from tests.broker.scenarios.three_nodes import (
    ThreeNodes,
    pass_ms,
    produced,
    settle,
    three_nodes,
)

pytestmark = pytest.mark.anyio

SESSION_MS = 9000
TO_CONTROLLER, FROM_CONTROLLER = (3, "controller"), ("controller", 3)
BOTH = pytest.mark.parametrize("ends", [TO_CONTROLLER, FROM_CONTROLLER])


def _add(nodes: ThreeNodes, ends: tuple[End, End], **action: object) -> None:
    sender, receiver = ends
    link = {"from": sender, "to": receiver}
    nodes.cluster.faults.add({"link": link, "action": action or {"type": "cut"}})


def _is_alive(nodes: ThreeNodes, node_id: int) -> bool:
    return nodes.controller.image.alive(node_id)


@BOTH
async def test_a_node_that_is_cut_off_is_fenced_after_its_session(
    tmp_path: Path, ends: tuple[End, End]
) -> None:
    """After ``broker.session.timeout.ms``; it leaves the in-sync set, and returns after the cut."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, ends)
        await pass_ms(SESSION_MS - 10)
        before = _is_alive(nodes, 3)
        await pass_ms(20)
        during = _is_alive(nodes, 3), nodes.isr()

        nodes.cluster.faults.clear()
        after = _is_alive(nodes, 3)
        await pass_ms(2000)

        assert before
        assert during == (False, (1, 2))
        assert after
        assert sorted(nodes.isr()) == [1, 2, 3]


async def test_a_short_cut_ends_no_session(tmp_path: Path) -> None:
    """The next cut has the whole session again."""
    async with three_nodes(tmp_path) as nodes:
        for _ in range(3):
            _add(nodes, TO_CONTROLLER)
            await pass_ms(SESSION_MS - 10)
            nodes.cluster.faults.clear()
            await pass_ms(10)

        assert _is_alive(nodes, 3)


async def test_a_leader_that_is_cut_off_loses_its_partitions(tmp_path: Path) -> None:
    """The others elect one; the old leader follows it when it learns this."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.lead(3)
        _add(nodes, TO_CONTROLLER)
        await pass_ms(SESSION_MS + 10)
        elected = nodes.leader()
        was_leading = nodes.replica(3).leader_state is not None

        nodes.cluster.faults.clear()
        await pass_ms(2000)

        assert elected in (1, 2)
        assert was_leading
        assert nodes.replica(3).leader_state is None
        assert sorted(nodes.isr()) == [1, 2, 3]


@BOTH
async def test_metadata_arrive_after_a_cut(tmp_path: Path, ends: tuple[End, End]) -> None:
    """A topic that was created meanwhile is unknown to the node until then."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, ends)
        nodes.controller.create_topic("new", assignments=[(1, 2)])
        await settle()
        image = nodes.running.node(3).image
        before = image.topic("new")

        nodes.cluster.faults.clear()
        await settle()

        assert before is None
        assert nodes.running.node(1).image.topic("new") is not None
        assert image.topic("new") is not None


async def test_a_change_does_not_wait_for_a_node_that_is_cut_off(tmp_path: Path) -> None:
    """A CreateTopics has its response when the controller has committed the change."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, FROM_CONTROLLER)
        topic = CreatableTopic(
            name="new", num_partitions=1, replication_factor=1, assignments=[], configs=[]
        )

        pending = await nodes.send(CreateTopicsRequest(topics=[topic], timeout_ms=1000))

        assert [each.error_code for each in pending.response.topics] == [ErrorCode.NONE]


async def test_metadata_are_delayed(tmp_path: Path) -> None:
    """By the time of the message from the controller."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, FROM_CONTROLLER, type="delay", ms=700)
        nodes.controller.create_topic("new", assignments=[(1, 2)])
        image = nodes.running.node(3).image
        await pass_ms(690)
        before = image.topic("new")

        await pass_ms(20)

        assert before is None
        assert image.topic("new") is not None


async def test_lost_metadata_are_fetched_again(tmp_path: Path) -> None:
    """After ``controller.quorum.request.timeout.ms``, in their order."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, FROM_CONTROLLER, type="loss", percent=50, seed=4)
        for number in range(10):
            nodes.controller.create_topic(f"new-{number}", assignments=[(1, 2)])
        await pass_ms(120_000)

        image = nodes.running.node(3).image
        assert all(image.topic(f"new-{number}") is not None for number in range(10))
        assert nodes.cluster.faults.rule(1).fired > 0


@pytest.mark.parametrize("ends", [(1, "controller"), ("controller", 1)])
async def test_a_change_of_the_in_sync_set_waits_for_the_controller(
    tmp_path: Path, ends: tuple[End, End]
) -> None:
    """The leader waits for the response before its high watermark advances."""
    async with three_nodes(tmp_path) as nodes:
        _add(nodes, ends, type="delay", ms=3000)
        nodes.cluster.pause(3)
        pending = await nodes.produce(b"a")
        await pass_ms(6000)
        before = pending.has_arrived

        await pass_ms(4000)

        assert not before
        assert produced(pending) == [(ErrorCode.NONE, 0)]


async def test_a_node_behind_a_cut_cannot_start(tmp_path: Path) -> None:
    """It could not register; the message says what to do."""
    async with three_nodes(tmp_path) as nodes:
        await nodes.cluster.stop(3)
        _add(nodes, TO_CONTROLLER)

        with pytest.raises(WrongState, match="cuts its link to the controller; remove the rule"):
            await nodes.cluster.start(3)

        nodes.cluster.faults.clear()
        await nodes.cluster.start(3)
        await pass_ms(2000)
        assert sorted(nodes.isr()) == [1, 2, 3]

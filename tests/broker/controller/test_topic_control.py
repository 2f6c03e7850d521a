"""Topics and partitions are created in slices, between which the cluster changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.controller.controller import Controller
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import PartitionRegistration
from broker.steps.pieces import PIECE_ITEMS
from broker.steps.queue import Slices, finish
from protocol.errors import ErrorCode
from tests.broker.controller.nodes import Nodes

PARTITIONS = 10 * PIECE_ITEMS


@pytest.fixture
def nodes() -> Nodes:
    return Nodes()


@pytest.fixture
def controller(nodes: Nodes) -> Controller:
    return nodes.controller


def partitions(controller: Controller) -> tuple[PartitionRegistration, ...]:
    """Those of the topic t."""
    topic = controller.topic("t")
    assert topic is not None
    return topic.partitions


def begun(slices: Slices[object]) -> Slices[object]:
    """*slices* after the first piece."""
    next(slices)
    return slices


def refusal(slices: Slices[object]) -> ErrorCode:
    """The error that *slices* end with."""
    with pytest.raises(ApiError) as refused:
        finish(slices)
    return refused.value.code


def test_many_partitions_are_created_in_pieces(controller: Controller) -> None:
    """They are placed, and then encoded; the topic exists after that."""
    slices = controller.topics.create("t", partitions=PARTITIONS, replication_factor=3)
    pieces = 0
    for _ in slices:
        pieces += 1
        assert controller.topic("t") is None

    assert pieces == 2 * 10
    assert len(partitions(controller)) == PARTITIONS


def test_many_assignments_are_checked_in_pieces(controller: Controller) -> None:
    """They are checked, registered and encoded."""
    slices = controller.topics.create("t", assignments=[(1, 2)] * PARTITIONS)

    assert len(list(slices)) == 3 * 10
    assert partitions(controller)[-1].replicas == (1, 2)


def test_a_topic_that_another_request_has_created_exists(controller: Controller) -> None:
    """The request that ends first creates it."""
    slices = begun(controller.topics.create("t", partitions=PARTITIONS))
    controller.create_topic("t", partitions=1)

    assert refusal(slices) is ErrorCode.TOPIC_ALREADY_EXISTS
    assert len(partitions(controller)) == 1


def test_only_a_topic_that_is_created_is_counted(controller: Controller) -> None:
    """The quota of mutations is not used by a topic that exists."""
    spent: list[int] = []
    slices = begun(controller.topics.create("t", partitions=PARTITIONS, spend=spent.append))
    controller.create_topic("t", partitions=1)
    refusal(slices)

    assert spent == []


@pytest.mark.parametrize("pieces", [1, 15])
def test_a_node_that_is_fenced_meanwhile_leads_no_new_partition(
    controller: Controller, pieces: int
) -> None:
    """While partitions are placed or encoded."""
    slices = controller.topics.create("t", partitions=PARTITIONS)
    for _ in range(pieces):
        next(slices)
    controller.fence(1)
    finish(slices)

    assert {each.leader for each in partitions(controller)} == {2, 3}


def test_an_assignment_to_nodes_that_are_fenced_meanwhile_is_refused(
    controller: Controller,
) -> None:
    """No node could lead the partitions."""
    slices = begun(controller.topics.create("t", assignments=[(1,)] * PARTITIONS))
    controller.fence(1)

    assert refusal(slices) is ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert controller.topic("t") is None


def test_a_topic_grows_in_pieces(controller: Controller) -> None:
    """The new partitions are placed, and all are encoded."""
    controller.create_topic("t", partitions=PARTITIONS)
    slices = controller.topics.grow("t", 2 * PARTITIONS)

    assert len(list(slices)) == 10 + 20
    assert len(partitions(controller)) == 2 * PARTITIONS


def test_a_change_of_a_topic_that_grows_is_kept(nodes: Nodes) -> None:
    """The in-sync replicas of a partition change between two slices."""
    topic = nodes.topic(1, 2, 3)
    slices = begun(nodes.controller.topics.grow("t", PARTITIONS))
    nodes.controller.alter_partition(nodes.change(topic, 1, 2))
    finish(slices)

    assert nodes.partition.isr == (1, 2)
    assert len(partitions(nodes.controller)) == PARTITIONS


def test_a_topic_does_not_grow_to_the_size_that_it_has_meanwhile(controller: Controller) -> None:
    """Two requests for the same number of partitions."""
    controller.create_topic("t", partitions=1)
    slices = begun(controller.topics.grow("t", PARTITIONS))
    controller.create_partitions("t", PARTITIONS)

    assert refusal(slices) is ErrorCode.INVALID_PARTITIONS
    assert len(partitions(controller)) == PARTITIONS


def test_a_topic_that_is_deleted_meanwhile_does_not_grow(controller: Controller) -> None:
    """It is unknown then."""
    controller.create_topic("t", partitions=1)
    slices = begun(controller.topics.grow("t", PARTITIONS))
    controller.delete_topic("t")

    assert refusal(slices) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_what_is_created_in_slices_survives_a_restart(tmp_path: Path) -> None:
    """Every field of each partition, also after the topic has grown and changed."""
    path = tmp_path / "controller.db"
    nodes = Nodes(path)
    topic = nodes.topic(1, 2, 3)
    finish(nodes.controller.topics.grow("t", PARTITIONS))
    nodes.controller.alter_partition(nodes.change(topic, 1, 2))
    expected = nodes.controller.topic("t")
    nodes.controller.close()
    store = ControllerStore(path)

    assert store.topics() == [expected]
    store.close()

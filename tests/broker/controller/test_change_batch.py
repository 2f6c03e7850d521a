"""Decisions about partitions that may change before they are written down."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest

from broker.common.errors import ApiError
from broker.controller.change_batch import ChangeBatch, with_partitions
from broker.controller.image import MetadataImage, PartitionRegistration, TopicImage
from broker.controller.partition_change import Rules
from protocol.errors import ErrorCode

PARTITION = PartitionRegistration((1, 2), (1, 2), 1)
RULES = Rules(lambda _: True, 1)


def led_by_two(partition: PartitionRegistration, _rules: Rules) -> PartitionRegistration:
    """Refused for who follows node 2 already."""
    if partition.leader == 2:
        raise ApiError(ErrorCode.ELECTION_NOT_NEEDED)
    return replace(partition, leader=2, partition_epoch=partition.partition_epoch + 1)


class World:
    """An image with one topic of two partitions, and decisions about it."""

    def __init__(self) -> None:
        self.image = MetadataImage("cluster")
        self.topic = TopicImage("t", uuid4(), {}, (PARTITION, PARTITION))
        self.image.put(self.topic)
        self.decisions = ChangeBatch(self.image, lambda _: lambda _: RULES)

    def change(self, index: int, **changes: object) -> None:
        """Something else happens to a partition."""
        partition = replace(self.image.topics["t"].partitions[index], **changes)  # type: ignore[arg-type]  # its own fields
        self.image.put(with_partitions(self.image.topics["t"], {index: partition}))


@pytest.fixture
def world() -> World:
    return World()


def test_what_is_decided_becomes_of_the_topic(world: World) -> None:
    """Its other partitions are as they were; nothing is changed before."""
    world.decisions.add(world.topic, 1, led_by_two)

    assert world.image.topics["t"] is world.topic
    [changed] = world.decisions.changed_topics()
    assert [each.leader for each in changed.partitions] == [1, 2]
    assert world.decisions.count == 1


def test_a_refusal_is_raised_at_once(world: World) -> None:
    """And changes nothing."""
    world.change(0, leader=2)
    with pytest.raises(ApiError):
        world.decisions.add(world.image.topics["t"], 0, led_by_two)

    assert world.decisions.changed_topics() == []


def test_a_partition_that_has_changed_is_decided_anew(world: World) -> None:
    """What has happened meanwhile is not undone."""
    world.decisions.add(world.topic, 0, led_by_two)
    world.change(0, isr=(2,), partition_epoch=5)

    [changed] = world.decisions.changed_topics()
    assert changed.partitions[0] == PartitionRegistration((1, 2), (2,), 2, partition_epoch=6)


def test_a_partition_that_needs_no_change_any_more_stays(world: World) -> None:
    """Its decision would be refused by now."""
    world.decisions.add(world.topic, 0, led_by_two)
    world.change(0, leader=2)

    [changed] = world.decisions.changed_topics()
    assert changed is world.image.topics["t"]


def test_a_topic_that_is_gone_is_left_out(world: World) -> None:
    """It was deleted between two slices."""
    world.decisions.add(world.topic, 0, led_by_two)
    world.image.remove(world.topic)

    assert world.decisions.changed_topics() == []


def test_rules_are_made_once_for_a_topic(world: World) -> None:
    """They are looked up in its settings, which takes a while."""
    asked: list[str] = []

    def rules_of(topic: TopicImage) -> partial[Rules]:
        asked.append(topic.name)
        return partial(lambda _: RULES)

    decisions = ChangeBatch(world.image, rules_of)
    for index in (0, 1):
        decisions.add(world.topic, index, led_by_two)

    assert asked == ["t"]


def test_a_topic_with_the_same_partitions_is_the_same(world: World) -> None:
    """So that it need not be written or sent."""
    topic = world.topic

    assert with_partitions(topic, {1: PARTITION}) is topic
    assert with_partitions(topic, {1: replace(PARTITION)}) is topic
    assert with_partitions(topic, {}) is topic
    assert with_partitions(topic, {1: replace(PARTITION, leader=2)}).partitions[1].leader == 2

"""Changes of partitions that may change otherwise before the commit."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest

from broker.common.errors import ApiError
from broker.controller.metadata.image import MetadataImage, PartitionRegistration, TopicImage
from broker.controller.partitions.change_batch import ChangeBatch, with_partitions
from broker.controller.partitions.partition_change import Rules
from protocol.errors import ErrorCode

PARTITION = PartitionRegistration((1, 2), (1, 2), 1)
RULES = Rules(lambda _: True, 1)


def led_by_two(partition: PartitionRegistration, _rules: Rules) -> PartitionRegistration:
    """A change to leader 2, refused for a partition that node 2 leads."""
    if partition.leader == 2:
        raise ApiError(ErrorCode.ELECTION_NOT_NEEDED)
    return replace(partition, leader=2, partition_epoch=partition.partition_epoch + 1)


class World:
    """An image with a topic of two partitions, and a batch of changes."""

    def __init__(self) -> None:
        self.image = MetadataImage("cluster")
        self.topic = TopicImage("t", uuid4(), {}, (PARTITION, PARTITION))
        self.image.put(self.topic)
        self.decisions = ChangeBatch(self.image, lambda _: lambda _: RULES)

    def change(self, index: int, **changes: object) -> None:
        """Change a partition for another reason."""
        partition = replace(self.image.topics["t"].partitions[index], **changes)  # type: ignore[arg-type]  # its own fields
        self.image.put(with_partitions(self.image.topics["t"], {index: partition}))


@pytest.fixture
def world() -> World:
    return World()


def test_a_change_is_applied_to_its_partition_only(world: World) -> None:
    """Nothing changes before the commit."""
    world.decisions.add(world.topic, 1, led_by_two)

    assert world.image.topics["t"] is world.topic
    [changed] = world.decisions.changed_topics()
    assert [each.leader for each in changed.partitions] == [1, 2]
    assert world.decisions.count == 1


def test_a_refusal_is_raised_immediately(world: World) -> None:
    """It changes nothing."""
    world.change(0, leader=2)
    with pytest.raises(ApiError):
        world.decisions.add(world.image.topics["t"], 0, led_by_two)

    assert world.decisions.changed_topics() == []


def test_the_change_of_a_changed_partition_is_computed_again(world: World) -> None:
    """The other change is not undone."""
    world.decisions.add(world.topic, 0, led_by_two)
    world.change(0, isr=(2,), partition_epoch=5)

    [changed] = world.decisions.changed_topics()
    assert changed.partitions[0] == PartitionRegistration((1, 2), (2,), 2, partition_epoch=6)


def test_a_change_that_is_now_refused_is_dropped(world: World) -> None:
    """The partition stays as it is."""
    world.decisions.add(world.topic, 0, led_by_two)
    world.change(0, leader=2)

    [changed] = world.decisions.changed_topics()
    assert changed is world.image.topics["t"]


def test_a_deleted_topic_is_left_out(world: World) -> None:
    """It was deleted between two slices."""
    world.decisions.add(world.topic, 0, led_by_two)
    world.image.remove(world.topic)

    assert world.decisions.changed_topics() == []


def test_rules_are_computed_once_for_a_topic(world: World) -> None:
    """They depend on its settings, which take time to resolve."""
    called: list[str] = []

    def rules_of(topic: TopicImage) -> partial[Rules]:
        called.append(topic.name)
        return partial(lambda _: RULES)

    decisions = ChangeBatch(world.image, rules_of)
    for index in (0, 1):
        decisions.add(world.topic, index, led_by_two)

    assert called == ["t"]


def test_an_unchanged_topic_is_the_same_object(world: World) -> None:
    """It need not be written or sent."""
    topic = world.topic

    assert with_partitions(topic, {1: PARTITION}) is topic
    assert with_partitions(topic, {1: replace(PARTITION)}) is topic
    assert with_partitions(topic, {}) is topic
    assert with_partitions(topic, {1: replace(PARTITION, leader=2)}).partitions[1].leader == 2


def test_a_topic_that_replaces_another_one_is_not_changed(world: World) -> None:
    """Also if it has fewer partitions; changes of other topics are made."""
    other = TopicImage("u", uuid4(), {}, (PARTITION,))
    world.image.put(other)
    for index in (0, 1):
        world.decisions.add(world.topic, index, led_by_two)
    world.decisions.add(other, 0, led_by_two)

    world.image.remove(world.topic)
    world.image.put(TopicImage("t", uuid4(), {}, (PARTITION,)))

    [changed] = world.decisions.changed_topics()
    assert (changed.name, changed.partitions[0].leader) == ("u", 2)

"""The current leaders in responses of other nodes (KIP-951)."""

from __future__ import annotations

from uuid import UUID

import pytest

from broker.api.handlers.current_leader import WRONG_LEADER, Leader, Leaders
from broker.controller.metadata.image import (
    NO_LEADER,
    Broker,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from protocol.errors import ErrorCode

ALL = (1, 2, 3)


@pytest.fixture
def topic() -> TopicImage:
    """Partitions led by nodes 2, 3, 2, one whose leader is unknown, and one without a leader."""
    leaders = (2, 3, 2, 9, NO_LEADER)
    registrations = (PartitionRegistration(ALL, ALL, leader, 7) for leader in leaders)
    return TopicImage("t", UUID(int=1), {}, tuple(registrations))


@pytest.fixture
def image(topic: TopicImage) -> MetadataImage:
    """Three nodes and the topic."""
    made = MetadataImage("c", {n: Broker(n, f"host-{n}", 9091 + n) for n in ALL})
    made.put(topic)
    return made


def test_a_leader_has_its_epoch(image: MetadataImage, topic: TopicImage) -> None:
    """Both are those of this node's image."""
    assert Leaders(image, "PLAINTEXT").of(topic, 1) == Leader(3, 7)


def test_each_leader_is_an_endpoint_once(image: MetadataImage, topic: TopicImage) -> None:
    """With its address, so that the client needs no metadata request."""
    leaders = Leaders(image, "PLAINTEXT")
    for partition in (0, 1, 2):
        leaders.of(topic, partition)

    assert leaders.endpoints() == [
        (2, "host-2", 9093),
        (3, "host-3", 9094),
    ]


def test_a_leader_without_an_address_is_no_endpoint(
    image: MetadataImage, topic: TopicImage
) -> None:
    """The response still has its id and epoch; the client requests metadata then."""
    leaders = Leaders(image, "PLAINTEXT")

    assert leaders.of(topic, 3) == Leader(9, 7)
    assert leaders.of(topic, 4) == Leader(NO_LEADER, 7)
    assert leaders.endpoints() == []


def test_a_leader_that_the_listener_does_not_advertise_is_no_endpoint(
    image: MetadataImage, topic: TopicImage
) -> None:
    """Its clients cannot connect to the leader."""
    leaders = Leaders(image, "EXTERNAL")

    assert leaders.of(topic, 1) == Leader(3, 7)
    assert leaders.endpoints() == []


def test_an_unknown_partition_has_no_leader(image: MetadataImage, topic: TopicImage) -> None:
    """So has one of an unknown topic."""
    leaders = Leaders(image, "PLAINTEXT")

    assert [leaders.of(None, 0), leaders.of(topic, 5), leaders.of(topic, -1)] == [
        Leader(NO_LEADER, -1)
    ] * 3


def test_errors_that_need_the_current_leader() -> None:
    """With both another node, or the same in a new epoch, leads."""
    assert {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH} == WRONG_LEADER

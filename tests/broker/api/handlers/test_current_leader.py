"""Who leads instead (KIP-951)."""

from __future__ import annotations

from uuid import UUID

import pytest

from broker.api.handlers.current_leader import WRONG_LEADER, Leader, Leaders
from broker.controller.image import (
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
    """Partitions led by nodes 2, 3, 2, one whose leader is not known here, and one without."""
    leaders = (2, 3, 2, 9, NO_LEADER)
    registrations = (PartitionRegistration(ALL, ALL, leader, 7) for leader in leaders)
    return TopicImage("t", UUID(int=1), {}, tuple(registrations))


@pytest.fixture
def image(topic: TopicImage) -> MetadataImage:
    """Three nodes and the topic."""
    made = MetadataImage("c", {n: Broker(n, f"host-{n}", 9091 + n) for n in ALL})
    made.put(topic)
    return made


def test_a_leader_is_told_with_its_epoch(image: MetadataImage, topic: TopicImage) -> None:
    """As this node's image has it."""
    assert Leaders(image).of(topic, 1) == Leader(3, 7)


def test_each_leader_is_named_once(image: MetadataImage, topic: TopicImage) -> None:
    """With its address, so that the client need not ask for it."""
    leaders = Leaders(image)
    for partition in (0, 1, 2):
        leaders.of(topic, partition)

    assert [(b.node_id, b.host, b.port) for b in leaders.endpoints()] == [
        (2, "host-2", 9093),
        (3, "host-3", 9094),
    ]


def test_a_leader_without_an_address_is_told_all_the_same(
    image: MetadataImage, topic: TopicImage
) -> None:
    """Its epoch is news enough; the client asks for metadata then."""
    leaders = Leaders(image)

    assert leaders.of(topic, 3) == Leader(9, 7)
    assert leaders.of(topic, 4) == Leader(NO_LEADER, 7)
    assert leaders.endpoints() == []


def test_what_is_not_there_has_no_leader(image: MetadataImage, topic: TopicImage) -> None:
    """A topic or partition that this node has not heard of."""
    leaders = Leaders(image)

    assert [leaders.of(None, 0), leaders.of(topic, 5), leaders.of(topic, -1)] == [
        Leader(NO_LEADER, -1)
    ] * 3


def test_which_errors_make_it_worth_telling() -> None:
    """Both say that somebody else leads, or leads anew."""
    assert {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH} == WRONG_LEADER

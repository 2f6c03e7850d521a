"""Descriptions of topics in Metadata responses, and their encodings."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from broker.api.handlers.topics.described_topic import described_topic, encoded_topic
from broker.api.handlers.topics.partition_facts import Nodes
from broker.controller.metadata.image import PartitionRegistration, TopicImage
from broker.steps.queue import finish
from protocol.codec import decode, encode
from protocol.errors import ErrorCode
from protocol.messages.metadata import (
    EncodedMetadataResponse,
    MetadataResponse,
    MetadataResponsePartition,
)
from protocol.wire import ITEMS_PER_YIELD

ALL = Nodes(alive=frozenset({1, 2}), reachable=frozenset({1, 2}))
FIRST_ONLY = Nodes(alive=frozenset({1}), reachable=frozenset({1}))
SECOND_HIDDEN = Nodes(alive=frozenset({1, 2}), reachable=frozenset({1}))


def topic(partitions: int = 1, leader: int = 2) -> TopicImage:
    """A topic with two replicas of each partition."""
    registration = PartitionRegistration(replicas=(1, 2), isr=(1, 2), leader=leader)
    return TopicImage("t", UUID(int=7), {}, (registration,) * partitions)


def described(image: TopicImage, version: int, nodes: Nodes) -> MetadataResponsePartition:
    """Its first partition."""
    return finish(described_topic(image, version, nodes)).partitions[0]


@pytest.mark.parametrize("version", range(14))
def test_an_encoded_topic_is_a_topic_of_the_response(version: int) -> None:
    """A response of encoded topics is read as one of the same topics."""
    image = topic(3)
    topics = [finish(encoded_topic(image, version, ALL))] * 2
    response = EncodedMetadataResponse(brokers=[], cluster_id="c", controller_id=1, topics=topics)

    found = decode(MetadataResponse, version, encode(response, version))

    alike = [finish(described_topic(image, version, ALL))] * 2
    expected = MetadataResponse(brokers=[], cluster_id="c", controller_id=1, topics=alike)
    assert found == decode(MetadataResponse, version, encode(expected, version))


def test_a_topic_is_encoded_once() -> None:
    """The second response has the bytes of the first one."""
    image = topic()
    first = finish(encoded_topic(image, 12, ALL))

    assert finish(encoded_topic(image, 12, ALL)) is first


@pytest.mark.parametrize(("version", "nodes"), [(9, ALL), (12, FIRST_ONLY), (12, SECOND_HIDDEN)])
def test_another_version_or_other_nodes_have_another_encoding(version: int, nodes: Nodes) -> None:
    """Nothing is returned that was encoded for something else."""
    image = topic()
    known = finish(encoded_topic(image, 12, ALL))

    assert finish(encoded_topic(image, version, nodes)) != known
    assert finish(encoded_topic(image, 12, ALL)) == known


def test_a_changed_topic_is_encoded_again() -> None:
    """Its image is a new one, without the encodings of the former."""
    image = topic(leader=2)
    before = finish(encoded_topic(image, 12, ALL))
    (partition,) = image.partitions
    changed = replace(image, partitions=(replace(partition, leader=1),))

    assert finish(encoded_topic(changed, 12, ALL)) != before


def test_the_encodings_of_a_topic_are_limited() -> None:
    """Nodes that come and go do not accumulate encodings."""
    image = topic()
    for node in range(100):
        finish(encoded_topic(image, 12, Nodes(frozenset({node}), frozenset({node}))))

    assert len(image.encodings) <= 16


def test_a_leader_that_is_not_alive_is_absent() -> None:
    """The error is retriable, and the replica is offline."""
    found = described(topic(), 12, FIRST_ONLY)

    assert (found.error_code, found.leader_id) == (ErrorCode.LEADER_NOT_AVAILABLE, -1)
    assert (found.replica_nodes, found.offline_replicas) == ([1, 2], [2])


@pytest.mark.parametrize(
    ("version", "error"),
    [(5, ErrorCode.LEADER_NOT_AVAILABLE), (6, ErrorCode.LISTENER_NOT_FOUND)],
)
def test_a_leader_without_an_address_for_the_listener(version: int, error: ErrorCode) -> None:
    """Clients of early versions do not know LISTENER_NOT_FOUND."""
    assert described(topic(), version, SECOND_HIDDEN).error_code == error


def test_the_first_version_lists_only_replicas_that_are_alive() -> None:
    """An error says that some are not."""
    found = described(topic(leader=1), 0, FIRST_ONLY)

    assert found.error_code == ErrorCode.REPLICA_NOT_AVAILABLE
    assert (found.replica_nodes, found.isr_nodes) == ([1], [1])


def test_a_topic_with_many_partitions_takes_several_slices() -> None:
    """Other requests are served while it is described and encoded."""
    described = sum(1 for _ in described_topic(topic(640), 12, ALL))
    both = sum(1 for _ in encoded_topic(topic(640), 12, ALL))

    assert described == 640
    assert both == described + 640 // ITEMS_PER_YIELD

"""Topics for consumer groups; the hash mirrors ``UtilsTest``."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest

from broker.controller.metadata.image import (
    Broker,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from broker.groups.metadata_image import CoordinatorMetadataImage
from tests.broker.groups.consumer.books import T, U, topics_of


def test_names_and_ids() -> None:
    """An absent topic is None, not an error."""
    topics = topics_of(t=3, u=1)

    assert topics.ids(["t", "nope", "u"]) == {T, U}
    assert (topics.id_of("t"), topics.id_of("nope")) == (T, None)
    assert (topics.name_of(U), topics.name_of(UUID(int=9))) == ("u", None)
    assert (topics.partition_count(T), topics.partition_count(UUID(int=9))) == (3, 0)
    assert topics.names() == ["t", "u"]


def test_the_present_image_is_used() -> None:
    """A topic that is created later is found."""
    image = MetadataImage("cluster")
    topics = CoordinatorMetadataImage(lambda: image)
    before = topics.id_of("t")
    image.put(TopicImage("t", T, {}, (PartitionRegistration((1,), (1,), 1),)))

    assert (before, topics.id_of("t")) == (None, T)


def test_the_hash_of_no_topics_is_zero() -> None:
    """As in Kafka; topics that do not exist do not count."""
    assert topics_of(t=1).hash_of([]) == 0
    assert topics_of(t=1).hash_of(["nope"]) == 0


class _Uncounted(frozenset[str]):
    """Names that are too many to go through all of them."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("the names were iterated")


def test_more_names_than_topics_are_not_iterated() -> None:
    """Members may subscribe to many topics that do not exist."""
    topics = topics_of(t=3, u=1)
    names = _Uncounted(["t", *(f"nope{each}" for each in range(100))])

    assert [each.name for each in topics.existing(names)] == ["t"]
    assert topics.ids(names) == {T}
    assert topics.hash_of(names) == topics.hash_of(["t"])


def test_the_hash_does_not_depend_on_the_order() -> None:
    """Nor on names of topics that do not exist."""
    topics = topics_of(t=3, u=1)

    assert topics.hash_of(["t", "u"]) == topics.hash_of(["u", "nope", "t"])


@pytest.mark.parametrize(
    ("partitions", "names"),
    [({"t": 4, "u": 1}, "tu"), ({"t": 3}, "tu"), ({"t": 3, "u": 1, "v": 1}, "tuv")],
    ids=["grown", "gone", "come"],
)
def test_the_hash_changes_with_the_topics(partitions: dict[str, int], names: str) -> None:
    """KIP-1101: when topics are created, extended or deleted."""
    before = topics_of(t=3, u=1).hash_of("tuv")

    assert topics_of(**partitions).hash_of(names) != before


def test_a_recreated_topic_has_another_hash() -> None:
    """It has the same name and partition count, but another id."""
    image = MetadataImage("cluster")
    image.put(TopicImage("t", UUID(int=7), {}, (PartitionRegistration((1,), (1,), 1),)))

    assert CoordinatorMetadataImage(lambda: image).hash_of("t") != topics_of(t=1).hash_of("t")


def test_the_hash_is_a_signed_number_of_64_bits() -> None:
    """As the field of its record."""
    hashes = [topics_of(t=count).hash_of("t") for count in range(1, 40)]

    assert len(set(hashes)) == 39
    assert all(-(2**63) <= each < 2**63 for each in hashes)
    assert min(hashes) < 0 < max(hashes)


def _hash_with_replicas(replicas: tuple[int, ...], racks: dict[int, str | None]) -> int:
    """The hash of a topic whose only partition has these replicas."""
    brokers = {node: Broker(node, "h", node, rack=rack) for node, rack in racks.items()}
    image = MetadataImage("cluster", brokers)
    image.put(TopicImage("t", T, {}, (PartitionRegistration(replicas, replicas, replicas[0]),)))
    return CoordinatorMetadataImage(lambda: image).hash_of(["t"])


def test_the_hash_depends_on_the_racks_of_replicas() -> None:
    """A replica that moves to another rack changes it; their order does not."""
    racks: dict[int, str | None] = {1: "a", 2: "b", 3: "c", 4: "b"}
    before = _hash_with_replicas((1, 2), racks)

    assert _hash_with_replicas((2, 1), racks) == _hash_with_replicas((1, 4), racks) == before
    assert _hash_with_replicas((1, 3), racks) != before


def test_the_hash_does_not_depend_on_replicas_without_a_rack() -> None:
    """In a cluster without racks, partitions may move."""
    racks: dict[int, str | None] = dict.fromkeys((1, 2, 3))

    assert _hash_with_replicas((1, 2), racks) == _hash_with_replicas((3, 1), racks)

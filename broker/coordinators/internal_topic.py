"""An internal topic, and which node coordinates a key (a group, a transactional id).

The partition of a key is derived from the hash of the key, as in Kafka, and its leader is the
coordinator. A topic is created when a coordinator is first looked up.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Protocol

from broker.common.errors import ApiError
from broker.common.java_hash import string_hash
from broker.controller.metadata.image import Broker, MetadataImage, TopicImage
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

_INT_MIN: Final = -(2**31)
_KEYS_KEPT: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InternalTopic:
    """An internal topic as it is created if it does not exist."""

    name: str
    partition_count: int
    replication_factor: int
    configs: Mapping[str, str]


class TopicCreator(Protocol):
    """The part of the controller that is used here."""

    image: MetadataImage

    def create_topic(
        self,
        name: str,
        *,
        partitions: int,
        replication_factor: int,
        configs: dict[str, str],
    ) -> TopicImage:
        """Create a topic; raises `ApiError`."""
        ...


@lru_cache(_KEYS_KEPT)
def partition_for(key: str, partition_count: int) -> int:
    """The partition that the records of *key* are in: ``Utils.abs(key.hashCode()) % count``."""
    value = string_hash(key)
    # The smallest int of Java has no positive counterpart; Utils.abs returns 0 for it.
    return 0 if value == _INT_MIN else abs(value) % partition_count


def ensure_internal_topic(controller: TopicCreator, topic: InternalTopic) -> TopicImage:
    """Return the topic, and create it if it does not exist.

    With fewer nodes than the replication factor, each of them gets a replica. Raises
    `ApiError` COORDINATOR_NOT_AVAILABLE if no node runs.
    """
    image = controller.image.topic(topic.name)
    if image is not None:
        return image
    nodes = len(controller.image.alive_brokers())
    if nodes == 0:
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    return controller.create_topic(
        topic.name,
        partitions=topic.partition_count,
        replication_factor=min(topic.replication_factor, nodes),
        configs=dict(topic.configs),
    )


def partition_leader(topic_name: str, partition: int, image: MetadataImage) -> Broker:
    """The leader of a partition according to *image*, which coordinates its keys.

    Raises `ApiError` COORDINATOR_NOT_AVAILABLE if there is none, or no such partition.
    """
    topic = image.topic(topic_name)
    if topic is not None and partition < len(topic.partitions):
        broker = image.brokers.get(topic.partitions[partition].leader)
        if broker is not None and not broker.fenced:
            return broker
    raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)

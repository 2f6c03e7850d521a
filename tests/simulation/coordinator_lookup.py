"""Which node coordinates a key, according to the controller's metadata."""

from __future__ import annotations

from broker.common.errors import ApiError
from broker.controller.metadata.image import MetadataImage
from broker.coordinators.internal_topic import partition_for, partition_leader

NO_NODE = -1


def coordinator_of(key: str, topic_name: str, image: MetadataImage) -> int:
    """The id of the node that coordinates *key*, or `NO_NODE`; the topic never grows."""
    topic = image.topic(topic_name)
    if topic is None:
        return NO_NODE
    partition = partition_for(key, len(topic.partitions))
    try:
        return partition_leader(topic_name, partition, image).node_id
    except ApiError:
        return NO_NODE

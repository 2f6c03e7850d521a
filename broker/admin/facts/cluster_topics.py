"""The topics of a cluster: leaders, in-sync sets, replicas and offsets of their partitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from broker.admin.facts.json_object import JsonObject
from broker.admin.facts.unstable_transaction import held_back_by
from broker.cluster import Cluster
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import MetadataImage, TopicImage
from broker.replication.partition import Partition
from broker.steps.queue import Slices, finish


class ClusterTopics:
    """Reads the topics of *cluster*; each call returns new values."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def names(self) -> list[str]:
        """The names of all topics."""
        return [topic.name for topic in self._image]

    def topic(self, name: str) -> JsonObject | None:
        """A topic with its partitions; None if it does not exist."""
        topic = self._image.topic(name)
        return None if topic is None else finish(self._topic(topic))

    def all(self) -> Slices[list[JsonObject]]:
        """All topics with their partitions; a topic is as it was when it was read."""
        topics = []
        for topic in list(self._image):
            described = yield from self._topic(topic)
            topics.append(described)
        return topics

    def partitions(self, topic: str | None, partition: int | None) -> Iterator[JsonObject]:
        """The selected partitions, each with ``topic``; None selects all."""
        for each in self._selected(topic):
            count = len(each.partitions)
            for index in range(count) if partition is None else (partition,):
                if index < count:
                    yield {"topic": each.name, **self._partition(each, index)}

    def log_end(self, key: TopicPartition) -> int | None:
        """The log end offset of the leader of a partition; None if there is none."""
        topic = self._image.topic(key.topic)
        if topic is None or key.partition >= len(topic.partitions):
            return None
        leader = self._replica(key, topic.partitions[key.partition].leader)
        return None if leader is None else leader.log.log_end_offset

    @property
    def _image(self) -> MetadataImage:
        return self._cluster.controller.image

    def _selected(self, name: str | None) -> Iterable[TopicImage]:
        if name is None:
            return self._image
        topic = self._image.topic(name)
        return [] if topic is None else [topic]

    def _topic(self, topic: TopicImage) -> Slices[JsonObject]:
        partitions = []
        for index in range(len(topic.partitions)):
            partitions.append(self._partition(topic, index))
            yield None
        return {"name": topic.name, "id": str(topic.topic_id), "partitions": partitions}

    def _partition(self, topic: TopicImage, index: int) -> JsonObject:
        key, registration = TopicPartition(topic.name, index), topic.partitions[index]
        leader = self._replica(key, registration.leader)
        caught_up_ms_ago = _caught_up_ms_ago(leader)
        replicas = [
            {
                "node": node_id,
                **_offsets(replica),
                "in_sync": node_id in registration.isr,
                "alive": replica is not None,
                "caught_up_ms_ago": caught_up_ms_ago.get(node_id),
            }
            for node_id in registration.replicas
            for replica in [self._replica(key, node_id)]
        ]
        return {
            "partition": key.partition,
            "leader": registration.leader,
            "leader_epoch": registration.leader_epoch,
            "replicas": replicas,
            "isr": list(registration.isr),
            **_offsets(leader),
            **self._stability(leader),
        }

    def _stability(self, leader: Partition | None) -> JsonObject:
        """The last stable offset, and the transaction that holds it back, if one does."""
        if leader is None:
            return {"last_stable_offset": None, "held_back_by": None}
        transaction = held_back_by(leader.log, self._cluster.transactional_id)
        return {
            "last_stable_offset": leader.log.last_stable_offset,
            "held_back_by": transaction,
        }

    def _replica(self, key: TopicPartition, node_id: int) -> Partition | None:
        """The replica on a node; None if the node does not run or does not have it."""
        member = self._cluster.members.get(node_id)
        node = None if member is None else member.node
        return None if node is None else node.replicas.partitions.get(key)


def _offsets(replica: Partition | None) -> dict[str, Any]:
    log = None if replica is None else replica.log
    return {
        "log_start_offset": None if log is None else log.log_start_offset,
        "high_watermark": None if log is None else log.high_watermark,
        "log_end_offset": None if log is None else log.log_end_offset,
    }


def _caught_up_ms_ago(leader: Partition | None) -> dict[int, int | None]:
    """When each follower last had all records of its leader, as the leader knows it."""
    leader_state = None if leader is None else leader.leader_state
    progress = [] if leader_state is None else leader_state.progress()
    return {each.node_id: each.caught_up_ms_ago for each in progress}

"""The controller: the one authority on which topics exist and where their partitions are.

Kafka elects one and replicates its log; here it is an object in the process that writes each
change to its store first, then to the image, then tells every node - so that when a request to
create a topic is answered, every node already serves it.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from broker.config import Config
from broker.controller.assignment import place_replicas
from broker.controller.image import Broker, MetadataImage, PartitionRegistration, TopicImage
from broker.controller.store import ControllerStore
from broker.controller.topic_names import check_topic_name, collides
from broker.errors import ApiError
from protocol.errors import ErrorCode

# Kafka's controller refuses larger batches: ReplicationControlManager.MAX_PARTITIONS_PER_BATCH.
PARTITIONS_PER_REQUEST_MAX = 10_000

# Producer ids are handed out in blocks, so that the store is written once a block (KIP-730).
_PRODUCER_ID_BLOCK = 1000

Assignments = Sequence[tuple[int, ...]]
CheckConfigs = Callable[[dict[str, str]], None]


class MetadataListener(Protocol):
    """A node: it makes the cluster's image come true on its disk."""

    def topic_changed(self, topic: TopicImage) -> None:
        """The topic is new, or has more partitions, other leaders or other configs."""
        ...

    def topic_deleted(self, topic: TopicImage) -> None:
        """The topic is gone from the image already."""
        ...


class Controller:
    """Creates, changes and deletes topics; hands out producer ids.

    ``check_configs`` raises `ApiError` INVALID_CONFIG for topic configs that make no sense.
    """

    def __init__(self, store: ControllerStore, config: Config, check_configs: CheckConfigs) -> None:
        self._store = store
        self._config = config
        self._check_configs = check_configs
        self._listeners: list[MetadataListener] = []
        self.image = MetadataImage(self._cluster_id())
        for topic in store.topics():
            self.image.put(topic)
        self._next_producer_id = self._producer_id_block = int(store.fact("producer_id") or 0)

    def register(self, broker: Broker, listener: MetadataListener) -> None:
        """Add a node; it is told of every topic there is."""
        self.image.brokers[broker.node_id] = broker
        self._listeners.append(listener)
        for topic in self.image:
            listener.topic_changed(topic)

    def topic(self, name: str) -> TopicImage | None:
        """The topic of that name."""
        return self.image.topic(name)

    def topic_by_id(self, topic_id: uuid.UUID) -> TopicImage | None:
        """The topic of that id."""
        return self.image.topic_by_id(topic_id)

    def create_topic(
        self,
        name: str,
        *,
        partitions: int = -1,
        replication_factor: int = -1,
        assignments: Assignments = (),
        configs: dict[str, str] | None = None,
        validate_only: bool = False,
    ) -> TopicImage:
        """Create a topic and return it; -1 takes the broker's default.

        Raises `ApiError` as Kafka's ``ReplicationControlManager.createTopic``. With
        ``validate_only`` all is checked and nothing made.
        """
        self._check_new_name(name)
        configs = configs or {}
        self._check_configs(configs)
        if assignments:
            if partitions != -1 or replication_factor != -1:
                raise ApiError(
                    ErrorCode.INVALID_REQUEST,
                    "A manual partition assignment was specified, but numPartitions or "
                    "replicationFactor was not set to -1.",
                )
            placed = self._check_assignments(assignments)
        else:
            placed = self._place(range(self._partition_count(partitions)), replication_factor)
        registrations = tuple(
            PartitionRegistration(replicas, replicas, replicas[0]) for replicas in placed
        )
        topic = TopicImage(name, uuid.uuid4(), configs, registrations)
        if not validate_only:
            self._commit(topic)
        return topic

    def create_partitions(
        self, name: str, count: int, assignments: Assignments = (), *, validate_only: bool = False
    ) -> None:
        """Grow a topic to *count* partitions; raises `ApiError` as Kafka's createPartitions."""
        topic = self._existing(name)
        present = len(topic.partitions)
        if count <= present:
            raise ApiError(
                ErrorCode.INVALID_PARTITIONS,
                f"Topic already has {present} partition(s)."
                if count == present
                else f"The topic {name} currently has {present} partition(s); {count} would not "
                "be an increase.",
            )
        _check_batch(count - present)
        if assignments:
            if len(assignments) != count - present:
                raise ApiError(
                    ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                    f"Attempted to add {count - present} additional partition(s), but only "
                    f"{len(assignments)} assignment(s) were specified.",
                )
            placed = self._check_assignments(assignments)
        else:
            factor = len(topic.partitions[0].replicas)
            placed = self._place(range(present, count), factor)
        if validate_only:
            return
        added = tuple(PartitionRegistration(r, r, r[0]) for r in placed)
        self._commit(replace(topic, partitions=topic.partitions + added))

    def delete_topic(self, name: str) -> None:
        """Delete a topic; raises `ApiError` UNKNOWN_TOPIC_OR_PARTITION."""
        topic = self._existing(name)
        self._store.remove_topic(name)
        self.image.remove(topic)
        for listener in self._listeners:
            listener.topic_deleted(topic)

    def next_producer_id(self) -> int:
        """A producer id that was never given before, also not before a restart."""
        if self._next_producer_id == self._producer_id_block:
            self._producer_id_block += _PRODUCER_ID_BLOCK
            self._store.put_fact("producer_id", str(self._producer_id_block))
        self._next_producer_id += 1
        return self._next_producer_id - 1

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    # ----------------------------------------------------------------------------------------

    def _commit(self, topic: TopicImage) -> None:
        self._store.put_topic(topic)
        self.image.put(topic)
        for listener in self._listeners:
            listener.topic_changed(topic)

    def _existing(self, name: str) -> TopicImage:
        topic = self.image.topic(name)
        if topic is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        return topic

    def _check_new_name(self, name: str) -> None:
        check_topic_name(name)
        if name in self.image.topics:
            raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
        # A name with neither '.' nor '_' collides with none, so most are not compared with all.
        for existing in self.image.topics if "." in name or "_" in name else ():
            if collides(name, existing):
                raise ApiError(
                    ErrorCode.INVALID_TOPIC_EXCEPTION,
                    f"Topic '{name}' collides with existing topic: {existing}",
                )

    def _partition_count(self, asked: int) -> int:
        if asked == -1:
            return self._config.num_partitions
        if asked < 1:
            raise ApiError(
                ErrorCode.INVALID_PARTITIONS,
                "Number of partitions was set to an invalid non-positive value.",
            )
        _check_batch(asked)
        return asked

    def _place(self, partitions: range, factor: int) -> list[tuple[int, ...]]:
        nodes = sorted(self.image.brokers)
        if factor == -1:
            factor = min(self._config.default_replication_factor, len(nodes))
        if factor < 1:
            raise ApiError(
                ErrorCode.INVALID_REPLICATION_FACTOR,
                "Replication factor must be larger than 0, or -1 to use the default value.",
            )
        if factor > len(nodes):
            raise ApiError(
                ErrorCode.INVALID_REPLICATION_FACTOR,
                f"Unable to replicate the partition {factor} time(s): The target replication "
                f"factor of {factor} cannot be reached because only {len(nodes)} broker(s) are "
                "registered.",
            )
        return place_replicas(
            nodes, partitions, factor, start=len(self.image.topics), shift=len(self.image.topics)
        )

    def _check_assignments(self, assignments: Assignments) -> list[tuple[int, ...]]:
        for replicas in assignments:
            unknown = [node for node in replicas if node not in self.image.brokers]
            if not replicas:
                reason = "The manual partition assignment includes an empty replica list."
            elif len(set(replicas)) != len(replicas):
                reason = (
                    f"The manual partition assignment includes the broker {_repeated(replicas)} "
                    "more than once."
                )
            elif unknown:
                reason = (
                    f"The manual partition assignment includes broker {unknown[0]}, but no such "
                    "broker is registered."
                )
            elif len(replicas) != len(assignments[0]):
                reason = (
                    f"The manual partition assignment includes a partition with {len(replicas)} "
                    f"replica(s), but this is not consistent with previous partitions, which have "
                    f"{len(assignments[0])} replica(s)."
                )
            else:
                continue
            raise ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, reason)
        return list(assignments)

    def _cluster_id(self) -> str:
        cluster_id = self._store.fact("cluster_id")
        if cluster_id is None:
            cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
            self._store.put_fact("cluster_id", cluster_id)
        return cluster_id


def _check_batch(partitions: int) -> None:
    if partitions > PARTITIONS_PER_REQUEST_MAX:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION,
            f"{partitions} partitions at once; {PARTITIONS_PER_REQUEST_MAX} is the most",
        )


def _repeated(replicas: tuple[int, ...]) -> int:
    return next(node for node in replicas if replicas.count(node) > 1)

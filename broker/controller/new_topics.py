"""What a topic to be made must be like, and where its partitions go."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from broker.config import Config
from broker.controller.assignment import place_replicas
from broker.controller.image import MetadataImage, PartitionRegistration, TopicImage
from broker.controller.topic_names import check_topic_name, collides
from broker.errors import ApiError
from protocol.errors import ErrorCode

# Kafka's controller refuses larger batches: ReplicationControlManager.MAX_PARTITIONS_PER_BATCH.
PARTITIONS_PER_REQUEST_MAX = 10_000

Assignments = Sequence[tuple[int, ...]]


class NewTopics:
    """Checks what is asked for, against *image*, and lays it out; nothing is changed here."""

    def __init__(
        self,
        image: MetadataImage,
        config: Config,
        check_configs: Callable[[dict[str, str]], None],
    ) -> None:
        self._image = image
        self._config = config
        self._check_configs = check_configs

    def topic(
        self,
        name: str,
        partitions: int,
        replication_factor: int,
        assignments: Assignments,
        configs: dict[str, str],
    ) -> TopicImage:
        """A topic that could be created; raises `ApiError` as Kafka's createTopic."""
        self._check_new_name(name)
        self._check_configs(configs)
        if assignments:
            if partitions != -1 or replication_factor != -1:
                raise ApiError(
                    ErrorCode.INVALID_REQUEST,
                    "A manual partition assignment was specified, but numPartitions or "
                    "replicationFactor was not set to -1.",
                )
            placed = self.check_assignments(assignments)
        else:
            placed = self._place(range(self._partition_count(partitions)), replication_factor)
        return TopicImage(name, uuid.uuid4(), configs, self._registered(placed))

    def partitions(
        self, topic: TopicImage, count: int, assignments: Assignments
    ) -> tuple[PartitionRegistration, ...]:
        """The partitions that make *topic* one of *count*; raises `ApiError`."""
        present = len(topic.partitions)
        if count <= present:
            raise ApiError(
                ErrorCode.INVALID_PARTITIONS,
                f"Topic already has {present} partition(s)."
                if count == present
                else f"The topic {topic.name} currently has {present} partition(s); {count} would "
                "not be an increase.",
            )
        _check_batch(count - present)
        if assignments:
            if len(assignments) != count - present:
                raise ApiError(
                    ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                    f"Attempted to add {count - present} additional partition(s), but only "
                    f"{len(assignments)} assignment(s) were specified.",
                )
            return self._registered(self.check_assignments(assignments))
        factor = len(topic.partitions[0].replicas)
        return self._registered(self._place(range(present, count), factor))

    def _registered(self, placed: Assignments) -> tuple[PartitionRegistration, ...]:
        """Only nodes that are alive begin in sync; the first of them leads."""
        registrations = []
        for replicas in placed:
            isr = tuple(node for node in replicas if self._image.alive(node))
            if not isr:
                raise ApiError(
                    ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                    f"All brokers specified in the manual partition assignment {list(replicas)} "
                    "are fenced or in controlled shutdown.",
                )
            registrations.append(PartitionRegistration(replicas, isr, isr[0]))
        return tuple(registrations)

    def _check_new_name(self, name: str) -> None:
        check_topic_name(name)
        if name in self._image.topics:
            raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
        # A name with neither '.' nor '_' collides with none, so most are not compared with all.
        for existing in self._image.topics if "." in name or "_" in name else ():
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

    def _place(self, partitions: range, factor: int) -> Assignments:
        """Nodes that are alive first; the others only if there are too few (as Kafka's placer)."""
        alive = [broker.node_id for broker in self._image.alive_brokers()]
        fenced = sorted(node for node in self._image.brokers if node not in alive)
        registered = len(alive) + len(fenced)
        if factor == -1:
            factor = min(self._config.default_replication_factor, registered)
        if factor < 1:
            raise ApiError(
                ErrorCode.INVALID_REPLICATION_FACTOR,
                "Replication factor must be larger than 0, or -1 to use the default value.",
            )
        if factor > registered:
            raise ApiError(
                ErrorCode.INVALID_REPLICATION_FACTOR,
                f"Unable to replicate the partition {factor} time(s): The target replication "
                f"factor of {factor} cannot be reached because only {registered} broker(s) are "
                "registered.",
            )
        turn = len(self._image.topics)
        placed = place_replicas(alive, partitions, min(factor, len(alive)), start=turn, shift=turn)
        missing = factor - min(factor, len(alive))
        return [(*replicas, *fenced[:missing]) for replicas in placed]

    def check_assignments(self, assignments: Assignments) -> Assignments:
        """*assignments*, unchanged; raises `ApiError` INVALID_REPLICA_ASSIGNMENT."""
        for replicas in assignments:
            unknown = [node for node in replicas if node not in self._image.brokers]
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
        return assignments


def _check_batch(partitions: int) -> None:
    if partitions > PARTITIONS_PER_REQUEST_MAX:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION,
            f"{partitions} partitions at once; {PARTITIONS_PER_REQUEST_MAX} is the most",
        )


def _repeated(replicas: tuple[int, ...]) -> int:
    return next(node for node in replicas if replicas.count(node) > 1)

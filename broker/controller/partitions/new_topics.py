"""Validates new topics and partitions and assigns their replicas.

Errors are those of Kafka's ``ReplicationControlManager.createTopic`` and ``createPartitions``.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence

from broker.common.errors import ApiError
from broker.config import Config
from broker.controller.metadata.image import (
    NO_LEADER,
    MetadataImage,
    PartitionRegistration,
    TopicImage,
)
from broker.controller.metadata.topic_names import check_topic_name
from broker.controller.partitions.replica_placer import place_replicas
from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from protocol.errors import ErrorCode

# Kafka's controller refuses larger batches: ReplicationControlManager.MAX_PARTITIONS_PER_BATCH.
PARTITIONS_PER_REQUEST_MAX = 10_000
# Small new topics are checked, assigned and stored in one step; about 0.3 ms each.
TOPICS_PER_COMMIT = 5
# A topic with more partitions is created alone, in slices; a partition takes about 10 µs.
PARTITIONS_AT_ONCE = 200

Assignments = Sequence[tuple[int, ...]]
# By name; a request may have several values for one name.
TopicConfigs = Mapping[str, str | None] | Sequence[tuple[str, str | None]]
# Raises `ApiError` INVALID_CONFIG for invalid topic configs.
CheckConfigs = Callable[[dict[str, str]], None]
# Is called with the number of partitions to be created or deleted; raises `ApiError` to refuse.
Spend = Callable[[int], object]


def unlimited(_partitions: int) -> None:
    """Allow any number of partitions (`Spend`)."""


class NewTopics:
    """Validates against *image* and assigns replicas, in slices; it changes nothing.

    Partitions with the same replicas have one registration.
    """

    def __init__(
        self,
        image: MetadataImage,
        config: Config,
        check_configs: CheckConfigs,
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
        configs: TopicConfigs,
        indexes: Sequence[int] | None = None,
    ) -> Slices[TopicImage]:
        """A topic that can be created; raises `ApiError`.

        ``indexes`` are the partitions of the assignments; None for 0, 1, 2, …
        """
        self.check_new_name(name)
        values = _values(configs)
        self._check_configs(values)
        if assignments:
            _check_unset("replication factor", replication_factor)
            _check_unset("numPartitions", partitions)
            given = range(len(assignments)) if indexes is None else indexes
            factor = len(assignments[0])
            placed = yield from self._manual_assignment(assignments, factor, given)
            if sorted(given) != list(range(len(given))):
                raise ApiError(
                    ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                    "partitions should be a consecutive 0-based integer sequence",
                )
        else:
            factor = self._replication_factor(replication_factor)
            count = self._partition_count(partitions)
            placed = yield from self._automatic_assignment(count, factor)
        return TopicImage(name, uuid.uuid4(), values, placed)

    def partitions(
        self, topic: TopicImage, count: int, assignments: Assignments | None
    ) -> Slices[tuple[PartitionRegistration, ...]]:
        """The additional partitions that make *topic* one of *count*; raises `ApiError`."""
        present = len(topic.partitions)
        if count <= present:
            raise ApiError(
                ErrorCode.INVALID_PARTITIONS,
                f"Topic already has {present} partition(s)."
                if count == present
                else f"The topic {topic.name} currently has {present} partition(s); {count} would "
                "not be an increase.",
            )
        if assignments is not None and len(assignments) != count - present:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"Attempted to add {count - present} additional partition(s), but only "
                f"{len(assignments)} assignment(s) were specified.",
            )
        if count - present > PARTITIONS_PER_REQUEST_MAX:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)  # as Kafka, without a message
        factor = len(topic.partitions[0].replicas)
        if assignments is None:
            start = self._after_last(topic)
            return (yield from self._placed(count - present, factor, start=start))
        added = range(present, count)
        return (yield from self._manual_assignment(assignments, factor, added))

    def check_new_name(self, name: str) -> None:
        """Raise `ApiError` unless a topic of that name can be created."""
        check_topic_name(name)
        if name in self._image.topics:
            raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
        existing = self._image.colliding_topic(name)
        if existing is not None:
            raise ApiError(
                ErrorCode.INVALID_TOPIC_EXCEPTION,
                f"Topic '{name}' collides with existing topic: {existing}",
            )

    def _replication_factor(self, requested: int) -> int:
        if requested == -1:
            return min(self._config.default_replication_factor, max(len(self._image.brokers), 1))
        if requested < 1:
            raise ApiError(
                ErrorCode.INVALID_REPLICATION_FACTOR,
                "Replication factor must be larger than 0, or -1 to use the default value.",
            )
        return requested

    def _partition_count(self, requested: int) -> int:
        if requested == -1:
            return self._config.num_partitions
        if requested < 1:
            raise ApiError(
                ErrorCode.INVALID_PARTITIONS,
                "Number of partitions was set to an invalid non-positive value.",
            )
        check_partition_count(requested)
        return requested

    def _automatic_assignment(
        self, count: int, factor: int
    ) -> Slices[tuple[PartitionRegistration, ...]]:
        """Assign replicas; each topic starts one node after the one before."""
        try:
            return (yield from self._placed(count, factor, start=len(self._image.topics)))
        except ApiError as error:
            reason = f"Unable to replicate the partition {factor} time(s): {error.message}"
            raise ApiError(error.code, reason) from None

    def _after_last(self, topic: TopicImage) -> int:
        """The start of the next partition, so that a topic that grows in steps is balanced."""
        brokers, last = self._image.brokers.values(), topic.partitions[-1].replicas[0]
        if self._image.alive_brokers():
            for start in range(len(brokers)):
                [(leader,)] = place_replicas(brokers, 1, 1, start=start)
                if leader == last:
                    return start + 1
        return len(topic.partitions)

    def _placed(
        self, count: int, factor: int, *, start: int
    ) -> Slices[tuple[PartitionRegistration, ...]]:
        registered = self._image.brokers
        if factor < 1:
            reason = (
                f"Invalid replication factor {factor}: the replication factor must be positive."
            )
        elif all(broker.fenced for broker in registered.values()):
            reason = "All brokers are currently fenced, or have all their log directories cordoned."
        elif factor > len(registered):
            reason = (
                f"The target replication factor of {factor} cannot be reached because only "
                f"{len(registered)} broker(s) are registered or some brokers have all their log "
                "directories cordoned."
            )
        else:
            placed = place_replicas(registered.values(), count, factor, start=start)
            return (yield from self._registered(placed))
        raise ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, reason)

    def _manual_assignment(
        self, assignments: Assignments, factor: int, indexes: Sequence[int]
    ) -> Slices[tuple[PartitionRegistration, ...]]:
        """The partitions in the order of their *indexes*; raises `ApiError`."""
        placed: dict[int, tuple[int, ...]] = {}
        for piece in pieces(zip(indexes, assignments, strict=True)):
            for index, replicas in piece:
                if index in placed:
                    raise ApiError(
                        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                        f"Found multiple manual partition assignments for partition {index}",
                    )
                self._check_replicas(index, replicas, factor)
                placed[index] = replicas
            yield None
        return (yield from self._registered(placed[index] for index in sorted(placed)))

    def _check_replicas(self, index: int, replicas: tuple[int, ...], factor: int) -> None:
        """Raise `ApiError` INVALID_REPLICA_ASSIGNMENT unless a partition may have the replicas."""
        check_assignment(self._image, replicas)
        if len(replicas) != factor:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"The manual partition assignment includes a partition with {len(replicas)} "
                f"replica(s), but this is not consistent with previous partitions, which have "
                f"{factor} replica(s).",
            )
        if not any(map(self._image.alive, replicas)):
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                "All brokers specified in the manual partition assignment for partition "
                f"{index} are fenced or in controlled shutdown.",
            )

    def _registered(
        self, placed: Iterable[tuple[int, ...]]
    ) -> Slices[tuple[PartitionRegistration, ...]]:
        """The partitions with these replicas."""
        known: dict[tuple[int, ...], PartitionRegistration] = {}
        partitions: list[PartitionRegistration] = []
        for piece in pieces(placed):
            for replicas in piece:
                partition = known.get(replicas)
                if partition is None:
                    partition = known[replicas] = self._registration(replicas)
                partitions.append(partition)
            yield None
        return tuple(partitions)

    def _registration(self, replicas: tuple[int, ...]) -> PartitionRegistration:
        """Only live nodes are in the first ISR; the first of them leads.

        There is none only if nodes have been fenced since the replicas were placed or checked.
        """
        isr = tuple(filter(self._image.alive, replicas))
        return PartitionRegistration(replicas, isr, isr[0] if isr else NO_LEADER)


def check_assignment(image: MetadataImage, replicas: Sequence[int]) -> None:
    """Raise `ApiError` INVALID_REPLICA_ASSIGNMENT unless all are registered, each once.

    The error is that of the lowest id (``validateManualPartitionAssignment``).
    """
    if not replicas:
        raise _invalid_assignment("an empty replica list.")
    before = None
    for node in sorted(replicas):
        if node not in image.brokers:
            raise _invalid_assignment(f"broker {node}, but no such broker is registered.")
        if node == before:
            raise _invalid_assignment(f"the broker {node} more than once.")
        before = node


def _invalid_assignment(included: str) -> ApiError:
    return ApiError(
        ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        f"The manual partition assignment includes {included}",
    )


def _values(configs: TopicConfigs) -> dict[str, str]:
    """*configs*, the last value of each; raises `ApiError` INVALID_CONFIG if any is null."""
    pairs = list(configs.items() if isinstance(configs, Mapping) else configs)
    nulls = [name for name, value in pairs if value is None]
    if nulls:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            f"Null value not supported for topic configs: {','.join(nulls)}",
        )
    return {name: value for name, value in pairs if value is not None}


def _check_unset(what: str, number: int) -> None:
    if number != -1:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"A manual partition assignment was specified, but {what} was not set to -1.",
        )


def check_partition_count(partitions: int) -> None:
    """Raise `ApiError` POLICY_VIOLATION if one request creates too many partitions."""
    if partitions > PARTITIONS_PER_REQUEST_MAX:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION,
            "Excessively large number of partitions per request.",
        )

"""Gives copartitioned topics the same number of partitions (``CopartitionedTopicsEnforcer``).

Tasks join the partitions with the same index of several topics, so these need the same number. A
repartition topic whose number is not fixed is adapted; other topics are only checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import NoReturn

from broker.common.java_hash import in_hash_order, string_hash
from broker.common.java_strings import java_order
from broker.groups.streams.statuses import StatusCode
from broker.groups.streams.topics.errors import TopicConfigurationError, refuse_topology
from broker.groups.streams.topics.partition_counts import KnownPartitionCount


def enforce_copartitioning(
    copartitioned: Collection[str],
    fixed: AbstractSet[str],
    flexible: AbstractSet[str],
    partition_count: KnownPartitionCount,
) -> dict[str, int]:
    """Return the number of partitions of each repartition topic in *copartitioned*.

    *fixed* and *flexible* are the repartition topics of the whole topology, whose number the
    topology contains or not. Raises `TopicConfigurationError` if topics whose number cannot be
    changed have different numbers, and `ApiError` STREAMS_INVALID_TOPOLOGY if no topic has
    partitions.
    """
    if not copartitioned:
        return {}
    counts = {
        topic: partition_count(topic)
        for topic in in_hash_order(list(dict.fromkeys(copartitioned)), string_hash)
    }
    repartition = {
        topic: count for topic, count in counts.items() if topic in fixed or topic in flexible
    }
    if len(repartition) < len(counts):
        external = {topic: counts[topic] for topic in counts if topic not in repartition}
        required = _same(external.values(), external)
    elif fixed:
        # As in Kafka, topics of other copartition groups are compared as well.
        required = _same(map(partition_count, fixed), repartition)
    else:
        required = _largest(repartition)
    for topic in in_hash_order(list(repartition), string_hash):
        if topic in fixed and repartition[topic] != required:
            _refuse(
                f"Number of partitions [{repartition[topic]}] of repartition topic [{topic}] "
                f"doesn't match number of partitions [{required}] of the source topic."
            )
    return dict.fromkeys(repartition, required)


def _same(counts: Iterable[int], shown: Mapping[str, int]) -> int:
    """The number that all *counts* are equal to; an error shows the topics in *shown*."""
    different = set(counts)
    if len(different) > 1:
        topics = ", ".join(f"{topic}={shown[topic]}" for topic in sorted(shown, key=java_order))
        _refuse(f"Following topics do not have the same number of partitions: [{{{topics}}}]")
    [count] = different
    return count


def _largest(counts: Mapping[str, int]) -> int:
    largest = max(counts.values())
    if largest <= 0:
        topics = ", ".join(in_hash_order(list(counts), string_hash))
        refuse_topology(
            f"All topics in the copartition group had undefined partition number: [{topics}]"
        )
    return largest


def _refuse(message: str) -> NoReturn:
    raise TopicConfigurationError(StatusCode.INCORRECTLY_PARTITIONED_TOPICS, message)

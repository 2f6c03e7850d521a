"""How the topics of the store differ from what a start has given: words for warnings."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from broker.common.counted import counted
from broker.controller.metadata.image import TopicImage


def difference(topic: TopicImage, partitions: int, replication_factor: int) -> str:
    """What *topic* has instead of the given numbers, or an empty text; -1 is not given."""
    count, factor = len(topic.partitions), len(topic.partitions[0].replicas)
    found = list[str]()
    if partitions not in (-1, count):
        found.append(counted(count, "partition"))
    if replication_factor not in (-1, factor):
        found.append(f"replication factor {factor}")
    return f"the topic exists with {' and '.join(found)}" if found else ""


def missing_nodes(topics: Iterable[TopicImage], node_ids: Collection[int]) -> str:
    """How many topics have replicas on other nodes than *node_ids*, or an empty text."""
    count, missing = 0, set[int]()
    for topic in topics:
        replicas = {node for each in topic.partitions for node in each.replicas}
        count += not replicas.issubset(node_ids)
        missing |= replicas.difference(node_ids)
    if not missing:
        return ""
    has, numbers = "has" if count == 1 else "have", ", ".join(map(str, sorted(missing)))
    return (
        f"{counted(count, 'topic')} {has} replicas on nodes that do not exist: {numbers}; "
        f"give --brokers {max(missing)}"
    )

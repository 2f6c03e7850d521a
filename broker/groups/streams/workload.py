"""Estimates the work of a heartbeat: the members and tasks of its group are counted.

An assignment takes about 20 microseconds for each task.
"""

from __future__ import annotations

from collections.abc import Iterable

from broker.groups.group_states import AnyGroup
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.groups.streams.group import StreamsGroup

# A heartbeat of a group with more members and tasks is prepared in a worker thread.
ITEMS_AT_ONCE_MAX = 300


def has_more_items(
    group: AnyGroup | None, sent_topics: Iterable[str], topics: CoordinatorMetadataImage, limit: int
) -> bool:
    """Whether a group has more than *limit* members and tasks.

    The tasks of a topology that is not configured are estimated by the partitions of its topics; a
    new group has the topics that its first member sends.
    """
    if not isinstance(group, StreamsGroup):
        return sum(map(topics.partition_count_of, sent_topics)) > limit
    members, configured = len(group.members), group.configured
    if configured is not None and configured.subtopologies is not None:
        subtopologies = configured.subtopologies.values()
        return members + sum(each.number_of_tasks for each in subtopologies) > limit
    names = sent_topics if group.topology is None else group.topology.required_topics
    return members + sum(map(topics.partition_count_of, names)) > limit

"""Estimates the work of a heartbeat: the members and tasks of its group are counted.

An assignment takes about 20 microseconds for each task.
"""

from __future__ import annotations

from broker.groups.group_states import AnyGroup
from broker.groups.metadata_image import CoordinatorMetadataImage
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.topology import StreamsTopology

# A heartbeat of a group with more members and tasks is prepared in a worker thread.
ITEMS_AT_ONCE_MAX = 300


def is_long(
    group: AnyGroup | None, sent: StreamsTopology | None, topics: CoordinatorMetadataImage
) -> bool:
    """Whether a heartbeat in *group* may take longer than a slice; a join has *sent* a topology.

    The tasks of a topology that is not configured are estimated by the partitions of its topics.
    """
    if not isinstance(group, StreamsGroup):
        return _task_count(sent, topics) > ITEMS_AT_ONCE_MAX
    members, configured = len(group.members), group.configured
    if configured is None:
        return members + _task_count(group.topology or sent, topics) > ITEMS_AT_ONCE_MAX
    subtopologies = (configured.subtopologies or {}).values()
    return members + sum(each.number_of_tasks for each in subtopologies) > ITEMS_AT_ONCE_MAX


def _task_count(topology: StreamsTopology | None, topics: CoordinatorMetadataImage) -> int:
    return sum(
        max(map(topics.partition_count_of, each.all_source_topics), default=0)
        for each in (topology.subtopologies if topology else ())
    )

"""Which partitions a member may commit with an older epoch than its own (KIP-1251)."""

from __future__ import annotations

from uuid import UUID

from broker.common.errors import ApiError
from broker.groups.group import CommitCheck
from broker.groups.streams.current_assignment import CurrentAssignment
from broker.groups.streams.topology import StreamsTopology
from protocol.errors import ErrorCode


def assignment_check(
    topology: StreamsTopology, current: CurrentAssignment, epoch: int, stale: ErrorCode
) -> CommitCheck:
    """Return the check of a commit with *epoch*: the task of a partition was assigned by then.

    Otherwise the commit is refused with *stale*.
    """

    def check(topic: str, _topic_id: UUID, partition: int) -> None:
        subtopology = topology.by_source_topic.get(topic)
        if subtopology is None:
            raise ApiError(stale)
        subtopology_id = subtopology.subtopology_id
        for tasks in (current.assigned, current.pending_revocation):
            since = tasks.active.get(subtopology_id, {}).get(partition)
            if since is not None:
                if epoch < since:
                    break
                return
        raise ApiError(stale)

    return check

"""Computes the target assignment of a group (Kafka's ``streams.TargetAssignmentBuilder``)."""

from __future__ import annotations

from broker.common.clock import Clock
from broker.config.groups import STREAMS_ASSIGNMENT_INTERVAL, GroupConfigs
from broker.groups.member_order import in_assignment_order
from broker.groups.streams.assignors import ASSIGNORS
from broker.groups.streams.assignors.spec import Assignment, GroupSpec, MemberSpec
from broker.groups.streams.draft import StreamsDraft
from broker.groups.streams.tasks import EMPTY
from broker.groups.streams.topics.configured import ConfiguredTopology

# The setting that the assignor gets, by its name in the records of a group.
NUM_STANDBY_REPLICAS = "num.standby.replicas"
# Kafka 4.3 has no other assignor.
_ASSIGNOR = "sticky"


class TargetAssignments:
    """Computes target assignments, at most one in the assignment interval of a group."""

    def __init__(self, clock: Clock, configs: GroupConfigs) -> None:
        self._wall_ms = clock.wall_ms
        self._configs = configs

    def update(self, draft: StreamsDraft, configured: ConfiguredTopology) -> bool:
        """Write the targets of a new group epoch; returns False if the interval prevents that."""
        group = draft.group
        if group.epoch <= group.assignment_epoch:
            return True
        last_ms = group.assignment_timestamp_ms
        interval_ms = self._configs.number(group.group_id, STREAMS_ASSIGNMENT_INTERVAL)
        if last_ms and interval_ms and self._wall_ms() < last_ms + interval_ms:
            return False
        _write_targets(draft, configured)
        draft.write_assignment_epoch(group.epoch, self._wall_ms())
        return True


def _write_targets(draft: StreamsDraft, configured: ConfiguredTopology) -> None:
    """Write the targets that change; members have no tasks while topics are missing or wrong."""
    group = draft.group
    member_ids = in_assignment_order(group.members, draft.before.members)
    assignment: Assignment = {}
    if configured.is_ready:
        assert configured.subtopologies is not None, "a topology that is ready has subtopologies"
        members = {
            each: MemberSpec(
                process_id=group.members[each].process_id, target=group.target.get(each, EMPTY)
            )
            for each in member_ids
        }
        standby = int(group.assignment_configs.get(NUM_STANDBY_REPLICAS, 0))
        assignment = ASSIGNORS[_ASSIGNOR](
            GroupSpec(
                members=members,
                subtopologies=configured.subtopologies,
                num_standby_replicas=standby,
            )
        )
    for member_id in member_ids:
        target = assignment.get(member_id, EMPTY)
        if group.target.get(member_id) != target:
            draft.write_target(member_id, target)

"""A coordinator in virtual time, and the heartbeats and records of the streams group g.

The topology has the subtopology 0, which reads the topic ``in`` with four partitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.config import parse_config
from broker.coordinators.coordinator_record import CoordinatorRecord, RawRecord
from broker.groups.records.serde import GROUP_RECORDS
from broker.groups.records.streams import StreamsGroupMetadataValue
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.member import StreamsGroupMember
from broker.groups.streams.requests import (
    OwnedTasks,
    StreamsGroupHeartbeat,
    StreamsGroupHeartbeatResult,
)
from broker.groups.streams.topology import StreamsTopology
from broker.steps.offload import Offload
from tests.broker.groups.streams.topics.topologies import subtopology, topology
from tests.broker.groups.virtual_world import VirtualWorld

Partitions = Mapping[str, Sequence[int]]

TOPOLOGY = topology(subtopology("0", "in"))
WITH_CHANGELOG = topology(subtopology("0", "in", logs="log"))


class StreamsWorld(VirtualWorld):
    """A node with the topic ``in``; broker keys are given with ``_`` for ``.``.

    There is no assignment interval, unless it is given.
    """

    def __init__(self, offload: Offload | None = None, **settings: str) -> None:
        config = {"group_streams_assignment_interval_ms": "0"} | settings
        super().__init__(
            parse_config({name.replace("_", "."): value for name, value in config.items()}),
            offload=offload,
        )
        self.put_topic("in", 4)
        self._read = 0

    # --------------------------------------------------------------------------- heartbeats

    def send(self, request: StreamsGroupHeartbeat) -> StreamsGroupHeartbeatResult:
        """The response to a heartbeat; raises `ApiError`."""
        try:
            return self.coordinator.streams.heartbeat(request)
        finally:
            self.end_request()

    def join(self, member_id: str = "a", **fields: Any) -> StreamsGroupHeartbeatResult:
        """A member joins."""
        return self.send(joining(member_id, **fields))

    def beat(self, member_id: str = "a", **fields: Any) -> StreamsGroupHeartbeatResult:
        """A heartbeat of a member in its present epoch."""
        return self.send(beating(member_id, self.member(member_id).member_epoch, **fields))

    def leave(self, member_id: str = "a", **fields: Any) -> StreamsGroupHeartbeatResult:
        """A member leaves."""
        return self.send(beating(member_id, -1, **fields))

    def refusal(self, request: StreamsGroupHeartbeat) -> tuple[int, str | None]:
        """The code and the message of the error of a heartbeat."""
        with pytest.raises(ApiError) as refused:
            self.send(request)
        return refused.value.code, refused.value.message

    # -------------------------------------------------------------------------------- state

    @property
    def group(self) -> StreamsGroup:
        """The group g."""
        return self.coordinator.streams.group("g")

    def member(self, member_id: str = "a") -> StreamsGroupMember:
        """A member of the group g."""
        return self.group.members[member_id]

    def configure_group(self, **settings: str) -> None:
        """Set settings of the group g."""
        self.coordinator.consumers.configs.replace(
            "g", {name.replace("_", "."): value for name, value in settings.items()}
        )

    # ------------------------------------------------------------------------------ records

    def appended(self) -> list[str]:
        """The records of the group g since the last call, such as "19 a" or "gone 20"."""
        return [shown(each) for each in self.records()]

    def records(self) -> list[CoordinatorRecord]:
        """The records of the group g since the last call."""
        log = self.logs[self.coordinator.runtime.partition_for("g")]
        raw = [each for each in log.records[self._read :] if isinstance(each, RawRecord)]
        self._read = len(log.records)
        return [record for each in raw if (record := GROUP_RECORDS.deserialize(each)) is not None]

    def epochs_written(self) -> list[StreamsGroupMetadataValue]:
        """The values of the epochs of the group g since the last call of `records`."""
        values = [each.value for each in self.records()]
        return [each for each in values if isinstance(each, StreamsGroupMetadataValue)]


def shown(record: CoordinatorRecord) -> str:
    """The type of a record, with the member that it is about."""
    kind = f"{record.key.__spec__.key} {getattr(record.key, 'member_id', '')}".strip()
    return kind if record.value is not None else f"gone {kind}"


def owned(active: Partitions | None = None, standby: Partitions | None = None) -> OwnedTasks:
    """Tasks as a member reports them; a kind that is absent has none."""
    return OwnedTasks(
        active=list((active or {}).items()), standby=list((standby or {}).items()), warmup=[]
    )


NOTHING = owned()


def joining(
    member_id: str = "a", topology: StreamsTopology | None = TOPOLOGY, **fields: Any
) -> StreamsGroupHeartbeat:
    """The request of a member that joins; each has its own process."""
    request = StreamsGroupHeartbeat(
        group_id="g",
        member_id=member_id,
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        topology=topology,
        owned=NOTHING,
        process_id=f"process of {member_id}",
        client_id="client",
        client_host="/host",
    )
    return replace(request, **fields)


def beating(member_id: str, epoch: int, **fields: Any) -> StreamsGroupHeartbeat:
    """The request of a member that has joined."""
    request = StreamsGroupHeartbeat(
        group_id="g",
        member_id=member_id,
        member_epoch=epoch,
        client_id="client",
        client_host="/host",
    )
    return replace(request, **fields)


def active(result: StreamsGroupHeartbeatResult) -> dict[str, list[int]] | None:
    """The active tasks in a response; None if it has no assignment."""
    if result.assigned is None:
        return None
    return {each: sorted(tasks) for each, tasks in result.assigned.active.items()}


def details(result: StreamsGroupHeartbeatResult) -> list[tuple[int, str]]:
    """The statuses of a response."""
    return [(each.code, each.detail) for each in result.statuses]

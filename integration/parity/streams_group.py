"""A streams group with its records, and members that keep their epochs and tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import GROUP, SET, alter_configs
from integration.parity.client import Client
from integration.parity.group_records import GroupRecords
from integration.parity.scenario import Kafka
from integration.parity.streams_requests import (
    NONE,
    Tasks,
    describe_streams,
    owned,
    streams_heartbeat,
    streams_join,
)
from protocol.messages.streams_group_heartbeat import Topology


class StreamsGroup:
    """A group whose members have one topology; *configs* are ``streams.*`` settings."""

    def __init__(
        self, kafka: Kafka, sent: Topology | None = None, *, node: int = 1, **configs: int
    ) -> None:
        self.kafka = kafka
        self.id = kafka.new_name("group")
        self.topology = sent
        self.node = node
        self.set(**configs)
        self.log = GroupRecords(kafka, self.id, node=node)

    def set(self, **configs: int) -> None:
        """Set ``streams.*`` settings of the group, and wait until nodes have the metadata."""
        changes = [
            (f"streams.{name.replace('_', '.')}", SET, f"{value}")
            for name, value in configs.items()
        ]
        if changes:
            (answer,) = self.kafka.request(alter_configs(self.id, *changes, kind=GROUP)).responses
            assert answer.error_code == 0, answer
        self.kafka.settle()

    def member(
        self, member_id: str, sent: Topology | None = None, *, client: Client | None = None
    ) -> StreamsMember:
        """A member that has not joined yet, with the group's topology or another one."""
        return StreamsMember(self, member_id, sent or self.topology, client)

    def records(self) -> list[str]:
        """The records since the last call."""
        return self.log.new()

    def describe(self) -> Any:
        """The description of the group."""
        return self.kafka.request(describe_streams(self.id), node=self.node).groups[0]

    def state(self) -> str:
        """The state, the epochs and the assignments, without the topology."""
        found = self.describe()
        members = [
            f"{each.member_id} at {each.member_epoch} has {_roles(each.assignment)}"
            f" of {_roles(each.target_assignment)}"
            for each in found.members
        ]
        epochs = f"{found.group_epoch} {found.assignment_epoch}"
        return f"{found.group_state} {epochs} {'; '.join(members)}"

    def wait_for_records(self, kind: int) -> list[str]:
        """The records since the last call, once one of a type is among them."""
        found: list[str] = []

        def is_written() -> bool:
            found.extend(self.records())
            return any(each.startswith(f"{kind} ") for each in found)

        eventually(is_written, f"a record {kind}")
        return found


class StreamsMember:
    """A member that sends its last epoch; its responses have comparable endpoints."""

    def __init__(
        self, group: StreamsGroup, member_id: str, sent: Topology | None, client: Client | None
    ) -> None:
        self.id = member_id
        self.epoch = 0
        self.active: Tasks = NONE
        self.standby: Tasks = NONE
        self._group = group
        self._topology = sent
        self._client = client

    def join(self, **fields: Any) -> Any:
        """Join, or join again."""
        return self._send(streams_join(self._group.id, self.id, self._topology, **fields))

    def beat(self, **fields: Any) -> Any:
        """Send a heartbeat without tasks."""
        return self.at(self.epoch, **fields)

    def at(self, epoch: int, **fields: Any) -> Any:
        """Send a heartbeat with an epoch."""
        return self._send(streams_heartbeat(self._group.id, self.id, epoch, **fields))

    def report(self, **fields: Any) -> Any:
        """Send a heartbeat with the tasks that the last response has left."""
        return self.beat(**owned(self.active, self.standby), **fields)

    def leave(self, **fields: Any) -> Any:
        """Leave the group."""
        return self._send(streams_heartbeat(self._group.id, self.id, -1, **fields))

    def _send(self, request: Any) -> Any:
        group = self._group
        if self._client is None:
            response = group.kafka.request(request, node=group.node)
        else:
            response = self._client.request(request)
        if not response.error_code:
            self.epoch = response.member_epoch
        if response.active_tasks is not None:
            self.active = _mapping(response.active_tasks)
            self.standby = _mapping(response.standby_tasks)
        return comparable(response)


def comparable(response: Any) -> Any:
    """The response; its endpoints with their addresses, sorted as Kafka's have any order."""
    if response.partitions_by_user_endpoint is not None:
        response.partitions_by_user_endpoint = sorted(
            f"{each.user_endpoint.host}:{each.user_endpoint.port}"
            f" active {_topics(each.active_partitions)}"
            f" standby {_topics(each.standby_partitions)}"
            for each in response.partitions_by_user_endpoint
        )
    return response


def settle_members(*members: StreamsMember) -> None:
    """Send heartbeats until no member has anything to revoke or to get."""
    for _ in range(4):
        for each in members:
            each.report()


def _topics(partitions: Any) -> str:
    return f"{sorted((each.topic, each.partitions) for each in partitions)}"


def _mapping(tasks: Any) -> Mapping[str, tuple[int, ...]]:
    return {each.subtopology_id: tuple(each.partitions) for each in tasks}


def _roles(assignment: Any) -> str:
    roles = (assignment.active_tasks, assignment.standby_tasks, assignment.warmup_tasks)
    return "/".join(f"{dict(_mapping(each))}" for each in roles)

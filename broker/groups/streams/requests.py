"""Requests and responses of streams groups, independent of the version of the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from broker.groups.streams.member import Endpoint
from broker.groups.streams.statuses import Status
from broker.groups.streams.tasks import Tasks, TasksWithEpochs
from broker.groups.streams.topics.configured import ConfiguredInternalTopic
from broker.groups.streams.topics.endpoint_to_partitions import TopicPartitions
from broker.groups.streams.topology import StreamsTopology
from protocol.lazy_dataclass import dataclass

JOINING_EPOCH = 0
LEAVING_EPOCH = -1
# The epoch in which static members leave, which are not supported.
LEAVING_STATIC_EPOCH = -2

# Partitions by subtopology, in the order of the request.
TaskIds = Sequence[tuple[str, Sequence[int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedTasks:
    """The tasks of a member, as it reports them; None if it does not report a kind."""

    active: TaskIds | None = None
    standby: TaskIds | None = None
    warmup: TaskIds | None = None

    @property
    def kinds(self) -> tuple[TaskIds | None, TaskIds | None, TaskIds | None]:
        """The three kinds."""
        return self.active, self.standby, self.warmup

    def tasks(self) -> Tasks | None:
        """All tasks; None if a kind is not reported."""
        if self.active is None or self.standby is None or self.warmup is None:
            return None
        return Tasks(
            active=_by_id(self.active), standby=_by_id(self.standby), warmup=_by_id(self.warmup)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsGroupHeartbeat:
    """A StreamsGroupHeartbeat request; None means that a field is unchanged."""

    group_id: str
    member_id: str
    member_epoch: int
    endpoint_information_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology: StreamsTopology | None = None
    owned: OwnedTasks = OwnedTasks()
    process_id: str | None = None
    user_endpoint: Endpoint | None = None
    client_tags: Sequence[tuple[str, str]] | None = None
    has_task_offsets: bool = False
    has_task_end_offsets: bool = False
    shutdown_application: bool = False

    @property
    def is_joining(self) -> bool:
        """Whether the member joins, for the first time or again."""
        return self.member_epoch == JOINING_EPOCH

    @property
    def is_leaving(self) -> bool:
        """Whether the member leaves."""
        return self.member_epoch == LEAVING_EPOCH


class EndpointPartitions(NamedTuple):
    """The partitions whose tasks an application with an endpoint has."""

    endpoint: Endpoint
    active: TopicPartitions
    standby: TopicPartitions


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsGroupHeartbeatResult:
    """A response; ``assigned`` is None if the assignment is unchanged.

    ``endpoints`` is None if the member knows them. ``missing_topics`` are the internal topics to
    create.
    """

    member_id: str
    member_epoch: int
    heartbeat_interval_ms: int = 0
    statuses: Sequence[Status] = ()
    assigned: TasksWithEpochs | None = None
    endpoint_information_epoch: int = 0
    endpoints: Sequence[EndpointPartitions] | None = None
    missing_topics: Sequence[ConfiguredInternalTopic] = ()


def _by_id(tasks: TaskIds) -> dict[str, tuple[int, ...]]:
    return {subtopology_id: tuple(sorted(set(partitions))) for subtopology_id, partitions in tasks}

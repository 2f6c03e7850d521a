"""The input of task assignors (Kafka's ``GroupSpec`` and ``TopologyDescriber``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from broker.groups.streams.tasks import Tasks
from broker.groups.streams.topics.configured import ConfiguredSubtopology
from protocol.lazy_dataclass import dataclass

# The target tasks of each member.
Assignment = Mapping[str, Tasks]


class TaskId(NamedTuple):
    """A task: its subtopology, and the partition of the input that it processes."""

    subtopology_id: str
    partition: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSpec:
    """A member: the process that it runs in, and its present target tasks."""

    process_id: str
    target: Tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSpec:
    """The members, at least one, in the order of Kafka's ``HashMap``, and the subtopologies by id.

    ``num_standby_replicas`` is the number of standby tasks of each stateful task.
    """

    members: Mapping[str, MemberSpec]
    subtopologies: Mapping[str, ConfiguredSubtopology]
    num_standby_replicas: int = 0

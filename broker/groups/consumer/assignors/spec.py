"""The input of assignors (Kafka's ``GroupSpec``)."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from broker.groups.consumer.member import Partitions
from protocol.lazy_dataclass import dataclass

Assignment = Mapping[str, Partitions]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSpec:
    """A member: its instance id, its subscribed topics and its present target assignment."""

    instance_id: str | None = None
    topics: frozenset[UUID]
    assigned: Partitions


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSpec:
    """The members in a fixed order, and the number of partitions of each subscribed topic.

    ``is_homogeneous``: all members subscribe to the same topics.
    """

    members: Mapping[str, MemberSpec]
    partition_counts: Mapping[UUID, int]
    is_homogeneous: bool

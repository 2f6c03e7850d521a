"""What an assignor is told: who subscribes to what, who shall have what now, and what there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from broker.groups.consumer.member import Partitions

Assignment = Mapping[str, Partitions]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberSpec:
    """A member: its instance, the topics it subscribes to, and its present target."""

    instance_id: str | None = None
    topics: frozenset[UUID]
    assigned: Partitions


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSpec:
    """The members in a fixed order, and how many partitions each of their topics has.

    ``is_homogeneous``: all members subscribe to the same topics.
    """

    members: Mapping[str, MemberSpec]
    partition_counts: Mapping[UUID, int]
    is_homogeneous: bool

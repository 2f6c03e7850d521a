"""What all groups have in common, whichever protocol their members speak (Kafka's ``Group``)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.offsets import OffsetAndMetadata
from protocol.errors import ErrorCode

# Whether somebody who may commit may commit this partition of a topic.
CommitCheck = Callable[[UUID, int], ErrorCode]


class GroupType(StrEnum):
    """The values are the names that ListGroups uses (KIP-848)."""

    CLASSIC = "classic"
    CONSUMER = "consumer"


CLASSIC = GroupType.CLASSIC
CONSUMER = GroupType.CONSUMER


@dataclass(slots=True, kw_only=True)
class Committer:
    """Who commits offsets, as it says itself, and in which version of OffsetCommit."""

    generation_id_or_member_epoch: int
    member_id: str
    group_instance_id: str | None
    api_version: int


class Group(Protocol):
    """A group, as those see it who do not care how its partitions are assigned."""

    @property
    def group_id(self) -> str:
        """Its name."""
        ...

    @property
    def group_type(self) -> GroupType:
        """Which protocol it speaks."""
        ...

    @property
    def protocol_type(self) -> str | None:
        """What kind of clients its members are; None for a group that never had any."""
        ...

    @property
    def state_name(self) -> str:
        """Its state, as ListGroups tells it."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether it has no members."""
        ...

    def check_offset_commit(self, committer: Committer) -> CommitCheck | None:
        """Raise `ApiError` if the group takes no commit of theirs; None: it takes all."""
        ...

    def check_offset_fetch(self, member_id: str | None, member_epoch: int) -> None:
        """Raise `ApiError` if this member may not be told."""
        ...

    def check_deletion(self) -> None:
        """Raise `ApiError` unless the group may be deleted."""
        ...

    def check_offset_deletion(self) -> None:
        """Raise `ApiError` unless offsets of the group may be deleted."""
        ...

    def is_subscribed_to(self, topic: str) -> bool:
        """Whether its members read a topic, so that its offsets are needed."""
        ...

    def expires_since_ms(self, offset: OffsetAndMetadata) -> int | None:
        """Since when the retention of an offset counts, in wall time; None: it does not."""
        ...

    def tombstones(self) -> list[CoordinatorRecord]:
        """The records that delete the group."""
        ...

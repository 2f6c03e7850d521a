"""What groups of all protocols have in common (Kafka's ``Group``)."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final, Protocol
from uuid import UUID

from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.groups.offset_and_metadata import OffsetAndMetadata
from protocol.lazy_dataclass import dataclass

# Raises `ApiError` if the member that was checked may not commit an offset for a partition of a
# topic, by name and id; then the whole commit is refused.
CommitCheck = Callable[[str, UUID, int], None]

# The generation or member epoch in requests of clients that are in no generation.
UNKNOWN_GENERATION_ID: Final = -1


class GroupType(StrEnum):
    """The values are the names in ListGroups (KIP-848)."""

    CLASSIC = "classic"
    CONSUMER = "consumer"
    SHARE = "share"
    STREAMS = "streams"


CLASSIC: Final = GroupType.CLASSIC
CONSUMER: Final = GroupType.CONSUMER
SHARE: Final = GroupType.SHARE
STREAMS: Final = GroupType.STREAMS


@dataclass(slots=True, kw_only=True)
class Committer:
    """The member fields of an OffsetCommit or TxnOffsetCommit, and the version of the request."""

    generation_id_or_member_epoch: int
    member_id: str
    group_instance_id: str | None
    api_version: int
    is_transactional: bool = False

    @property
    def is_anonymous(self) -> bool:
        """Whether it names no member, as in TxnOffsetCommit before version 3 (KIP-447)."""
        return (
            self.generation_id_or_member_epoch == UNKNOWN_GENERATION_ID
            and not self.member_id
            and self.group_instance_id is None
        )


class Group(Protocol):
    """A group of any protocol."""

    @property
    def group_id(self) -> str:
        """The group id."""
        ...

    @property
    def group_type(self) -> GroupType:
        """The protocol of the group."""
        ...

    @property
    def protocol_type(self) -> str | None:
        """The protocol type of its members, such as consumer; None if it has never had any."""
        ...

    @property
    def state_name(self) -> str:
        """The state as ListGroups returns it."""
        ...

    @property
    def is_empty(self) -> bool:
        """Whether it has no members."""
        ...

    def check_offset_commit(self, committer: Committer) -> CommitCheck | None:
        """Raise `ApiError` if *committer* may not commit; None if it may commit any partition."""
        ...

    def check_offset_fetch(self, member_id: str | None, member_epoch: int) -> None:
        """Raise `ApiError` if the member may not fetch offsets."""
        ...

    def check_deletion(self) -> None:
        """Raise `ApiError` unless the group may be deleted."""
        ...

    def check_offset_deletion(self) -> None:
        """Raise `ApiError` unless offsets of the group may be deleted."""
        ...

    def is_subscribed_to(self, topic: str) -> bool:
        """Whether its members subscribe to *topic*, so that its offsets do not expire."""
        ...

    def retention_base_ms(self, offset: OffsetAndMetadata) -> int | None:
        """The wall time at which the retention of an offset begins; None if it does not expire."""
        ...

    def tombstones(self) -> list[CoordinatorRecord]:
        """The records that delete the group."""
        ...

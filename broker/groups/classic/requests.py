"""What members ask of the coordinator and what they are told, free of any protocol version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from protocol.errors import ErrorCode

# How clients say "I have no member id yet" and "I am in no generation".
UNKNOWN_MEMBER_ID = ""
UNKNOWN_GENERATION_ID = -1


class MemberProtocol(NamedTuple):
    """One way of assigning partitions that a member knows, with what it has to say for it."""

    name: str
    metadata: bytes


@dataclass(slots=True, kw_only=True)
class JoinGroup:
    """A member wants to take part in the next generation."""

    group_id: str
    member_id: str
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocol_type: str
    protocols: tuple[MemberProtocol, ...]
    # Why it joins, in its own words (KIP-800).
    reason: str | None = None
    # v4+: a newcomer is given an id first and has to come again with it (KIP-394).
    require_known_member_id: bool = False
    # v9+: a static leader that comes back can be told not to assign anew (KIP-814).
    supports_skipping_assignment: bool = False


class GroupMember(NamedTuple):
    """A member as the leader is told of it."""

    member_id: str
    group_instance_id: str | None
    metadata: bytes


@dataclass(slots=True, kw_only=True)
class JoinResult:
    """The answer to a JoinGroup; members are only told to the leader."""

    error: ErrorCode = ErrorCode.NONE
    member_id: str
    generation_id: int = UNKNOWN_GENERATION_ID
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader_id: str = ""
    skip_assignment: bool = False
    members: Sequence[GroupMember] = ()


@dataclass(slots=True, kw_only=True)
class SyncGroup:
    """A member asks for its assignment; the leader brings everybody's."""

    group_id: str
    generation_id: int
    member_id: str
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: dict[str, bytes]


@dataclass(slots=True, kw_only=True)
class SyncResult:
    """The answer to a SyncGroup."""

    error: ErrorCode = ErrorCode.NONE
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@dataclass(slots=True, kw_only=True)
class LeavingMember:
    """Who is to leave: a member id, or an instance id alone when an operator asks."""

    member_id: str
    group_instance_id: str | None = None
    reason: str | None = None


JoinCallback = Callable[[JoinResult], None]
SyncCallback = Callable[[SyncResult], None]

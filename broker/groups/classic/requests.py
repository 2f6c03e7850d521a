"""Requests and responses of classic groups, independent of the version of the API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from broker.groups.classic.member_protocol import MemberProtocol, names_of
from broker.groups.group import UNKNOWN_GENERATION_ID
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass

# In requests of clients that have no member id yet.
UNKNOWN_MEMBER_ID = ""


@dataclass(slots=True, kw_only=True)
class JoinGroup:
    """A JoinGroup request; times are in milliseconds."""

    group_id: str
    member_id: str
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocol_type: str
    protocols: tuple[MemberProtocol, ...]
    # The client's reason (KIP-800).
    reason: str | None = None
    # v4+: a new dynamic member gets an id and has to join again with it (KIP-394).
    require_known_member_id: bool = False
    # v9+: a returning static leader skips the assignment if the response requests it (KIP-814).
    supports_skipping_assignment: bool = False
    # The names of the protocols; None if they were not collected in slices.
    collected_names: frozenset[str] | None = None
    # Selects the topics that may match a regular expression of a consumer group; None selects all.
    is_topic_visible: Callable[[str], bool] | None = None

    @property
    def protocol_names(self) -> frozenset[str]:
        """The names of the protocols."""
        if self.collected_names is None:
            self.collected_names = names_of(self.protocols)
        return self.collected_names


class GroupMember(NamedTuple):
    """A member in the leader's JoinGroup response."""

    member_id: str
    group_instance_id: str | None
    metadata: bytes


@dataclass(slots=True, kw_only=True)
class JoinResult:
    """A JoinGroup response; ``members`` is empty except in the leader's."""

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
    """A SyncGroup request; the leader's contains the ``assignments`` by member id."""

    group_id: str
    generation_id: int
    member_id: str
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: dict[str, bytes]


@dataclass(slots=True, kw_only=True)
class SyncResult:
    """A SyncGroup response."""

    error: ErrorCode = ErrorCode.NONE
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


@dataclass(slots=True, kw_only=True)
class LeavingMember:
    """A member of a LeaveGroup request; administrators give the instance id alone."""

    member_id: str
    group_instance_id: str | None = None
    reason: str | None = None


JoinCallback = Callable[[JoinResult], None]
SyncCallback = Callable[[SyncResult], None]

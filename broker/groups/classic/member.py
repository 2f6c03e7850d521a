"""A member of a classic group and its waiting requests (Kafka's ``ClassicGroupMember``)."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

from broker.groups.classic.member_protocol import MemberProtocol, names_of
from broker.groups.classic.requests import JoinCallback, SyncCallback
from purgatories.operations.delayed_heartbeat import DelayedHeartbeat


class MemberKey(NamedTuple):
    """The key that the session of a member waits on."""

    group_id: str
    member_id: str


class ClassicGroupMember:
    """A member; ``awaiting_join`` and ``awaiting_sync`` are the callbacks of waiting requests."""

    __slots__ = (
        "assignment",
        "awaiting_join",
        "awaiting_sync",
        "client_host",
        "client_id",
        "group_instance_id",
        "is_new",
        "key",
        "member_id",
        "protocol_names",
        "protocol_type",
        "protocols",
        "rebalance_timeout_ms",
        "session",
        "session_timeout_ms",
    )

    def __init__(
        self,
        key: MemberKey,
        *,
        group_instance_id: str | None,
        client_id: str,
        client_host: str,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        protocol_type: str,
        protocols: tuple[MemberProtocol, ...],
        protocol_names: frozenset[str] | None = None,
        assignment: bytes = b"",
    ) -> None:
        self.key = key
        self.member_id = key.member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.session_timeout_ms = session_timeout_ms
        self.protocol_type = protocol_type
        # Invariant: protocol_names has the names of protocols.
        self.protocols = protocols
        self.protocol_names = names_of(protocols) if protocol_names is None else protocol_names
        self.assignment = assignment
        # Invariant: a member waits for a join or for a sync, never for both.
        self.awaiting_join: JoinCallback | None = None
        self.awaiting_sync: SyncCallback | None = None
        # Before the first JoinGroup response it does not know its id, so it cannot heartbeat.
        self.is_new = False
        # The last operation of its session; completed when that has ended.
        self.session: DelayedHeartbeat[Any] | None = None

    @property
    def is_static(self) -> bool:
        """Whether it has an instance id, and stays a member while it does not join (KIP-345)."""
        return self.group_instance_id is not None

    @property
    def has_satisfied_heartbeat(self) -> bool:
        """Whether no heartbeat is due; a member with a waiting request need not heartbeat."""
        if self.is_new:
            return False
        return self.awaiting_join is not None or self.awaiting_sync is not None

    def metadata(self, protocol_name: str | None) -> bytes:
        """The metadata of one of its protocols."""
        return self.protocol(protocol_name).metadata

    def protocol(self, protocol_name: str | None) -> MemberProtocol:
        """One of its protocols."""
        for protocol in self.protocols:
            if protocol.name == protocol_name:
                return protocol
        raise AssertionError(f"{self.member_id} does not support {protocol_name}")

    def vote(self, candidates: Container[str]) -> str:
        """The first of its own protocols that is among *candidates*."""
        for protocol in self.protocols:
            if protocol.name in candidates:
                return protocol.name
        raise AssertionError(f"{self.member_id} supports none of the candidates")

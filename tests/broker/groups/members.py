"""Members of classic groups for tests."""

from __future__ import annotations

from broker.groups.classic.member import ClassicGroupMember, MemberKey
from broker.groups.classic.member_protocol import MemberProtocol


def member(
    member_id: str,
    *protocols: str,
    instance: str | None = None,
    rebalance_timeout_ms: int = 60_000,
) -> ClassicGroupMember:
    """A member of group ``g`` that supports *protocols*, or ``p``."""
    return ClassicGroupMember(
        MemberKey("g", member_id),
        group_instance_id=instance,
        client_id="client",
        client_host="/127.0.0.1",
        rebalance_timeout_ms=rebalance_timeout_ms,
        session_timeout_ms=10_000,
        protocol_type="consumer",
        protocols=protocols_of(*protocols or ("p",)),
    )


def protocols_of(*names: str) -> tuple[MemberProtocol, ...]:
    """Protocols with these names."""
    return tuple(MemberProtocol(name, name.encode()) for name in names)

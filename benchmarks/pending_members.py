"""Members that have a member id and never join: a pending timer each, and nothing else."""

from __future__ import annotations

from benchmarks.groups import new_group, read_response
from benchmarks.systems import System
from integration.wire.connection import Connection
from protocol.errors import ErrorCode
from protocol.headers import encode_request
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol

GROUPS = 100
SESSION_TIMEOUT_MS = 1_800_000  # the most that group.max.session.timeout.ms allows by default
IN_FLIGHT = 20
_VERSION = 9


def add_pending_members(system: System, count: int) -> str:
    """Add *count* of them in several groups; returns the id of the last group."""
    group = ""
    each = max(1, count // GROUPS)
    with Connection(system.bootstrap) as connection:
        for _ in range(GROUPS):
            group = new_group(system)
            frame = encode_request(_request(group), _VERSION, 1, "benchmark")
            for number in range(each + IN_FLIGHT):
                if number < each:
                    connection.send(frame)
                if number >= IN_FLIGHT and number - IN_FLIGHT < each:
                    response = connection.receive()
            joined = read_response(JoinGroupRequest, _VERSION, response)
            assert joined.error_code == ErrorCode.MEMBER_ID_REQUIRED, joined
    return group


def _request(group: str) -> JoinGroupRequest:
    return JoinGroupRequest(
        group_id=group,
        session_timeout_ms=SESSION_TIMEOUT_MS,
        rebalance_timeout_ms=SESSION_TIMEOUT_MS,
        member_id="",
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=bytes(32))],
    )

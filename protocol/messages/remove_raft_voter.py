"""RemoveRaftVoter: removes a controller from the voters of the cluster metadata (KIP-853)."""

from __future__ import annotations

from protocol.schema import int16, int32, message, string, uuid


@message(81, versions=(0, 0), flexible=0)
class RemoveRaftVoterRequest:
    cluster_id: string | None
    voter_id: int32
    voter_directory_id: uuid


@message(81, versions=(0, 0), flexible=0)
class RemoveRaftVoterResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None

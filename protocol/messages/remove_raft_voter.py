"""RemoveRaftVoter: removes a controller from the voters of the cluster metadata (KIP-853)."""

from __future__ import annotations

from protocol.apis import REMOVE_RAFT_VOTER
from protocol.schema import body, int16, int32, string, uuid


@body(REMOVE_RAFT_VOTER)
class RemoveRaftVoterRequest:
    cluster_id: string | None
    voter_id: int32
    voter_directory_id: uuid


@body(REMOVE_RAFT_VOTER)
class RemoveRaftVoterResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None

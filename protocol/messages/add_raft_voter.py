"""AddRaftVoter: adds a controller to the voters of the cluster metadata (KIP-853).

v1 chooses between a response after the commit and one after the write.
"""

from __future__ import annotations

from protocol.apis import ADD_RAFT_VOTER
from protocol.schema import body, boolean, int16, int32, since, string, struct, uint16, uuid


@body(ADD_RAFT_VOTER)
class AddRaftVoterRequest:
    cluster_id: string | None
    timeout_ms: int32
    voter_id: int32
    voter_directory_id: uuid
    listeners: list[Listener]
    ack_when_committed: boolean = since(1, default=True)


@struct
class Listener:
    name: string
    host: string
    port: uint16


@body(ADD_RAFT_VOTER)
class AddRaftVoterResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None

"""AddRaftVoter: adds a controller to the voters of the cluster metadata (KIP-853).

v1 chooses between a response after the commit and one after the write.
"""

from __future__ import annotations

from protocol.schema import boolean, int16, int32, message, since, string, struct, uint16, uuid


@message(80, versions=(0, 1), flexible=0)
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


@message(80, versions=(0, 1), flexible=0)
class AddRaftVoterResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None

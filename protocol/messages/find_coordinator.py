"""FindCoordinator: the node that coordinates a group or a transactional id.

v1 key types, v3 flexible, v4 many keys (KIP-699), v5 TRANSACTION_ABORTABLE (KIP-890), v6 share
groups (KIP-932).
"""

from __future__ import annotations

from protocol.apis import FIND_COORDINATOR
from protocol.schema import body, int8, int16, int32, since, string, struct


@body(FIND_COORDINATOR)
class FindCoordinatorRequest:
    key: string = since(0, until=3, default="")
    key_type: int8 = since(1, default=0)
    coordinator_keys: list[string] = since(4, factory=list)


@body(FIND_COORDINATOR)
class FindCoordinatorResponse:
    throttle_time_ms: int32 = since(1, default=0)
    error_code: int16 = since(0, until=3, default=0)
    error_message: string | None = since(1, until=3, default=None)
    node_id: int32 = since(0, until=3, default=0)
    host: string = since(0, until=3, default="")
    port: int32 = since(0, until=3, default=0)
    coordinators: list[Coordinator] = since(4, factory=list)


@struct
class Coordinator:
    key: string = since(4, default="")
    node_id: int32 = since(4, default=0)
    host: string = since(4, default="")
    port: int32 = since(4, default=0)
    error_code: int16 = since(4, default=0)
    error_message: string | None = since(4, default=None)

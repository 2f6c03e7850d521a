"""UnregisterBroker: removes a broker from the cluster metadata (KIP-631)."""

from __future__ import annotations

from protocol.apis import UNREGISTER_BROKER
from protocol.schema import body, int16, int32, string


@body(UNREGISTER_BROKER)
class UnregisterBrokerRequest:
    broker_id: int32


@body(UNREGISTER_BROKER)
class UnregisterBrokerResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None

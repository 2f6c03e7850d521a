"""UnregisterBroker: removes a broker from the cluster metadata (KIP-631)."""

from __future__ import annotations

from protocol.schema import int16, int32, message, string


@message(64, versions=(0, 0), flexible=0)
class UnregisterBrokerRequest:
    broker_id: int32


@message(64, versions=(0, 0), flexible=0)
class UnregisterBrokerResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None

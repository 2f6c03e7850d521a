"""Which requests are sent by other nodes of the cluster, and not by clients."""

from __future__ import annotations

from typing import Any

_FETCH, _OFFSET_FOR_LEADER_EPOCH, _ADD_PARTITIONS_TO_TXN, _WRITE_TXN_MARKERS = 1, 23, 24, 27
# The APIs whose requests other nodes may have sent.
KEYS_OF_BROKERS = frozenset(
    {_FETCH, _OFFSET_FOR_LEADER_EPOCH, _ADD_PARTITIONS_TO_TXN, _WRITE_TXN_MARKERS}
)
# Clients send lower versions of AddPartitionsToTxn (KIP-890).
ADD_PARTITIONS_OF_BROKERS_SINCE = 4

APIS_OF_BROKERS = frozenset(
    {"Fetch", "OffsetForLeaderEpoch", "AddPartitionsToTxn", "WriteTxnMarkers"}
)
API_ONLY_OF_BROKERS = frozenset({"WriteTxnMarkers"})


def is_from_broker(api_key: int, version: int, body: Any) -> bool:
    """Whether another node has sent the decoded request."""
    if api_key == _FETCH:
        state = body.replica_state
        replica_id: int = body.replica_id if state is None else state.replica_id
        return replica_id >= 0
    if api_key not in KEYS_OF_BROKERS:
        return False
    if api_key == _OFFSET_FOR_LEADER_EPOCH:
        replica_id = body.replica_id
        return replica_id >= 0
    return api_key == _WRITE_TXN_MARKERS or version >= ADD_PARTITIONS_OF_BROKERS_SINCE

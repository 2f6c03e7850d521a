"""Which requests are sent by other nodes of the cluster, and not by clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_FETCH, _OFFSET_FOR_LEADER_EPOCH, _ADD_PARTITIONS_TO_TXN, _WRITE_TXN_MARKERS = 1, 23, 24, 27
# Clients send lower versions of AddPartitionsToTxn (KIP-890).
ADD_PARTITIONS_OF_BROKERS_SINCE = 4

APIS_OF_BROKERS = frozenset(
    {"Fetch", "OffsetForLeaderEpoch", "AddPartitionsToTxn", "WriteTxnMarkers"}
)
API_ONLY_OF_BROKERS = frozenset({"WriteTxnMarkers"})


# Whether another node has sent a decoded request of a version.
IsFromBroker = Callable[[int, Any], bool]


def sender_test(api_key: int) -> IsFromBroker | None:
    """The test for requests of the API; None if all of them are sent by clients."""
    return _TESTS.get(api_key)


def _is_fetch_of_replica(_: int, body: Any) -> bool:
    state = body.replica_state
    replica_id: int = body.replica_id if state is None else state.replica_id
    return replica_id >= 0


def _is_of_replica(_: int, body: Any) -> bool:
    replica_id: int = body.replica_id
    return replica_id >= 0


def _is_verification(version: int, _: Any) -> bool:
    return version >= ADD_PARTITIONS_OF_BROKERS_SINCE


def _always(_: int, __: Any) -> bool:
    return True


_TESTS: dict[int, IsFromBroker] = {
    _FETCH: _is_fetch_of_replica,
    _OFFSET_FOR_LEADER_EPOCH: _is_of_replica,
    _ADD_PARTITIONS_TO_TXN: _is_verification,
    _WRITE_TXN_MARKERS: _always,
}

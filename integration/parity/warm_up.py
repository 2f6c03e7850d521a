"""Work that a cluster does only once, done before scenarios: coordinators, first producer ids."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from integration.machine.deadlines import eventually
from integration.parity.group_requests import committed, find_coordinator, heartbeat
from integration.parity.transaction_requests import TRANSACTION, init_producer_id
from integration.wire.connection import Connection
from protocol.errors import ErrorCode
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES

_GROUP = "warm-up"
_TRANSACTION = "warm-up"


def warm_up(nodes: Mapping[int, str]) -> None:
    """Wait until there are coordinators, and every node allocates producer ids."""
    eventually(lambda: _finds_coordinator(nodes), "a coordinator")
    eventually(lambda: _coordinates_transactions(nodes), "transactions")
    for address in nodes.values():
        eventually(partial(_gives_out_ids, address), f"producer ids from {address}")


def _finds_coordinator(nodes: Mapping[int, str]) -> bool:
    first = next(iter(nodes.values()))
    (found,) = _send(first, find_coordinator(_GROUP), 4).coordinators
    if found.error_code or found.node_id not in nodes:
        return False
    at = nodes[found.node_id]
    unknown = _send(at, heartbeat(_GROUP, "absent", 1), 4)
    offsets = _send(at, committed(_GROUP, {}), 8).groups[0]
    return (offsets.error_code, unknown.error_code) == (0, ErrorCode.UNKNOWN_MEMBER_ID)


def _coordinates_transactions(nodes: Mapping[int, str]) -> bool:
    first = next(iter(nodes.values()))
    (found,) = _send(first, find_coordinator(_TRANSACTION, key_type=TRANSACTION), 4).coordinators
    if found.error_code or found.node_id not in nodes:
        return False
    requested = init_producer_id(_TRANSACTION)
    return bool(_send(nodes[found.node_id], requested, 4).error_code == 0)


def _gives_out_ids(address: str) -> bool:
    return bool(_send(address, init_producer_id(None), 4).error_code == 0)


def _send(address: str, request: Any, version: int) -> Any:
    with Connection(address) as connection:
        frame = connection.request(encode_request(request, version, 1, "warm-up"))
    _, response = decode_response(RESPONSES[request.__spec__.key], version, frame)
    return response

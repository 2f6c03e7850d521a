"""The nodes of a cluster: one connection to each, and who leads and coordinates what."""

from __future__ import annotations

from itertools import count
from typing import Any

from integration.parity.group_requests import find_coordinator
from integration.wire.connection import Connection
from integration.wire.requests import metadata, read_metadata
from protocol.errors import ErrorCode
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES

GROUP = 0  # the key type of FindCoordinator
_TIMEOUT_SECONDS = 3.0
_FIND_COORDINATOR_VERSION = 6
_NO_RESPONSE = (OSError, EOFError)


class Nodes:
    """Sends requests and waits for their responses; used by one thread."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap.split(",")
        self._connections: dict[str, Connection] = {}
        self._correlation_ids = count()
        self._addresses: dict[int, str] = {}
        self._leaders: dict[tuple[str, int], int] = {}
        self._coordinators: dict[tuple[int, str], int] = {}

    def leader(self, topic: str, partition: int) -> int | None:
        """The leader of a partition; None if no node responds or there is none."""
        if (topic, partition) not in self._leaders:
            self._read_metadata(topic)
        return self._leaders.get((topic, partition))

    def coordinator(self, key_type: int, key: str) -> int | None:
        """The coordinator of a group or transactional id; None if no node returns one."""
        known = self._coordinators.get((key_type, key))
        if known is not None:
            return known
        request = find_coordinator(key, key_type=key_type)
        for address in self._bootstrap:
            response = self._exchange(address, request, _FIND_COORDINATOR_VERSION)
            if response is not None and response.coordinators[0].error_code == ErrorCode.NONE:
                [found] = response.coordinators
                self._addresses[found.node_id] = f"{found.host}:{found.port}"
                self._coordinators[key_type, key] = found.node_id
                return int(found.node_id)
        return None

    def forget(self) -> None:
        """Find leaders and coordinators again, because a request has failed."""
        self._leaders = {}
        self._coordinators = {}

    def send(self, node: int, request: Any, version: int) -> Any | None:
        """Send a request; returns its response, None if there is none within 3 s."""
        return self._exchange(self._addresses[node], request, version)

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections.values():
            connection.close()
        self._connections = {}

    def _read_metadata(self, topic: str) -> None:
        for address in self._bootstrap:
            frame = self._receive(address, metadata([topic], create=False))
            if frame is not None:
                brokers, topics = read_metadata(frame)
                self._addresses |= {node: f"{host}:{port}" for node, host, port in brokers}
                _, leaders = topics[topic]
                self._leaders |= {
                    (topic, partition): leader
                    for partition, leader in leaders.items()
                    if leader in self._addresses
                }
                return

    def _exchange(self, address: str, request: Any, version: int) -> Any | None:
        correlation_id = next(self._correlation_ids)
        frame = self._receive(address, encode_request(request, version, correlation_id, "checker"))
        if frame is None:
            return None
        response = RESPONSES[request.__spec__.key]
        received_id, body = decode_response(response, version, frame)
        assert received_id == correlation_id
        return body

    def _receive(self, address: str, frame: bytes) -> bytes | None:
        """Send a frame and receive one; None, and a new connection, if that fails."""
        try:
            connection = self._connections.get(address)
            if connection is None:
                connection = Connection(address, timeout=_TIMEOUT_SECONDS)
                self._connections[address] = connection
            return connection.request(frame)
        except _NO_RESPONSE:
            failed = self._connections.pop(address, None)
            if failed is not None:
                failed.close()
            return None

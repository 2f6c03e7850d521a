"""A blocking connection that sends the messages of `protocol` and reads the responses."""

from __future__ import annotations

import socket
import struct
import time
from typing import Any, BinaryIO, Self

from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

_LENGTH = struct.Struct(">i")
_TIMEOUT_S = 60.0
_RETRY_AFTER_S = 0.1


class Client:
    """A connection to one broker; a response has to be read before the next version is sent."""

    def __init__(self, bootstrap: str) -> None:
        host, _, port = bootstrap.split(",")[0].rpartition(":")
        self.socket = socket.create_connection((host, int(port)), _TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._responses: BinaryIO = self.socket.makefile("rb")
        self._sent: tuple[type, int] = (object, 0)

    def send(self, body: Any, version: int | None = None) -> None:
        """Send a request, by default in its newest version."""
        spec = body.__spec__
        chosen = spec.versions[-1] if version is None else version
        self._sent = RESPONSES[spec.key], chosen
        self.socket.sendall(encode_request(body, chosen, 1, "workload"))

    def receive(self) -> Any:
        """Return the next response."""
        (size,) = _LENGTH.unpack(self._responses.read(_LENGTH.size))
        _, response = decode_response(*self._sent, self._responses.read(size))
        return response

    def request(self, body: Any, version: int | None = None) -> Any:
        """Send a request and return its response."""
        self.send(body, version)
        return self.receive()

    def request_until(self, body: Any, error_code: Any) -> Any:
        """Repeat a request until *error_code* of its response is 0; return that response."""
        deadline_s = time.monotonic() + _TIMEOUT_S
        while error_code(response := self.request(body)):
            if time.monotonic() > deadline_s:
                raise TimeoutError(f"{type(body).__name__} fails: {response}")
            time.sleep(_RETRY_AFTER_S)
        return response

    def topic(self, name: str) -> Any:
        """Return the metadata of a topic."""
        named = MetadataRequest(topics=[MetadataRequestTopic(name=name)])
        (found,) = self.request(named).topics
        return found

    def leader(self, name: str) -> str:
        """Return the address of the leader of partition 0 of a topic."""
        named = MetadataRequest(topics=[MetadataRequestTopic(name=name)])
        response = self.request(named)
        leader_id = response.topics[0].partitions[0].leader_id
        (found,) = (each for each in response.brokers if each.node_id == leader_id)
        return f"{found.host}:{found.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._responses.close()
        self.socket.close()

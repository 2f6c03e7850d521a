"""A bare broker in Python for a consumer of one partition: what such a client can receive at most.

It describes itself by ApiVersions and Metadata. Of a Fetch it reads the offset only, and sends the
next batches of a file, which has them as a log has, by `os.sendfile`. It waits as the broker does
(`broker.steps.busy_poll`), with a thread for each connection.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import tempfile
import time
from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import TypeVar

from benchmarks.bare import ENDLESS_S, busy_poll
from benchmarks.own_server import OwnServer
from integration.wire.batches import batch
from integration.wire.requests import API_VERSIONS, FETCH, METADATA, PRODUCE
from protocol.codec import encode
from protocol.messages.api_versions import ApiVersion, ApiVersionsResponse
from protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

TOPIC = "t"
BATCHES = 1500
RECORDS_PER_BATCH = 100
RECORD_BYTES = 1000
BATCH = batch([bytes(RECORD_BYTES)] * RECORDS_PER_BATCH)
_BATCHES_PER_FETCH = 10
_MAX_WAIT_SECONDS = 0.5  # fetch.wait.max.ms of librdkafka
_SEND_BUFFER_BYTES = 262_144  # as the broker's default
# librdkafka parses record batches of a broker that has these versions of Produce and Fetch.
_VERSIONS = {PRODUCE: 3, FETCH: 4, METADATA: 4, API_VERSIONS: 3}
# Length, correlation id and throttle time; topics and name; partitions, index, error, high
# watermark, last stable offset, no aborted transactions, and the length of the records.
_HEAD = struct.Struct(f">iii ih{len(TOPIC)}s iihqqii")
# Of the last partition of a Fetch.
_OFFSET, _OFFSET_FROM_END = struct.Struct(">q"), 12

Result = TypeVar("Result")


class BareConsume(OwnServer):
    """The server in a process of its own."""

    def __init__(self) -> None:
        super().__init__("benchmarks.bare_consume")


def _serve() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    host, port = listener.getsockname()
    with tempfile.TemporaryFile() as file:
        for number in range(BATCHES):
            file.write(struct.pack(">q", number * RECORDS_PER_BATCH) + BATCH[8:])
        file.flush()
        print(f"{host}:{port}", flush=True)
        while True:
            accepted, _ = listener.accept()
            Thread(target=_Client(accepted, file.fileno(), port).serve, daemon=True).start()


class _Client:
    """One connection; *file* has the batches, and *port* is that of the server."""

    def __init__(self, connection: socket.socket, file: int, port: int) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        connection.setblocking(False)
        self._connection = connection
        self._file = file
        self._port = port
        self._poll = select.epoll()
        self._poll.register(connection, select.EPOLLIN)
        self._wait = busy_poll(self._poll).wait

    def serve(self) -> None:
        """Respond to each request until the client disconnects."""
        while length := self._received(4):
            self._respond(self._received(int.from_bytes(length, "big")))

    def _respond(self, request: bytes) -> None:
        key, version, correlation_id = struct.unpack_from(">hhi", request)
        if key == FETCH:
            [offset] = _OFFSET.unpack_from(request, len(request) - _OFFSET_FROM_END)
            self._send_records(correlation_id, offset)
            return
        made = self._versions() if key == API_VERSIONS else self._metadata()
        body = encode(made, version)
        self._send(struct.pack(">ii", 4 + len(body), correlation_id) + body)

    def _versions(self) -> ApiVersionsResponse:
        return ApiVersionsResponse(
            api_keys=[
                ApiVersion(api_key=key, min_version=0, max_version=latest)
                for key, latest in _VERSIONS.items()
            ]
        )

    def _metadata(self) -> MetadataResponse:
        partition = MetadataResponsePartition(
            partition_index=0, leader_id=1, replica_nodes=[1], isr_nodes=[1]
        )
        return MetadataResponse(
            brokers=[MetadataResponseBroker(node_id=1, host="127.0.0.1", port=self._port)],
            topics=[MetadataResponseTopic(name=TOPIC, partitions=[partition])],
        )

    def _send_records(self, correlation_id: int, offset: int) -> None:
        """The response (v4) with the batches from *offset* on, which is that of a batch."""
        watermark = BATCHES * RECORDS_PER_BATCH
        position = offset // RECORDS_PER_BATCH * len(BATCH)
        end = min(position + _BATCHES_PER_FETCH * len(BATCH), BATCHES * len(BATCH))
        head = _HEAD.pack(
            *(_HEAD.size - 4 + end - position, correlation_id, 0),
            *(1, len(TOPIC), TOPIC.encode()),
            *(1, 0, 0, watermark, watermark, -1, end - position),
        )
        if position == end:
            time.sleep(_MAX_WAIT_SECONDS)
        self._send(head)
        while position < end:
            send = partial(os.sendfile, self._connection.fileno(), self._file, position)
            position += self._when_ready(partial(send, end - position), select.EPOLLOUT)

    def _send(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._when_ready(partial(self._connection.send, left), select.EPOLLOUT) :]

    def _received(self, size: int) -> bytes:
        """So many bytes; none if the client has disconnected."""
        data = bytearray()
        while len(data) < size:
            receive = partial(self._connection.recv, size - len(data))
            part = self._when_ready(receive, select.EPOLLIN)
            if not part:
                return b""
            data += part
        return bytes(data)

    def _when_ready(self, call: Callable[[], Result], events: int) -> Result:
        """The result of a call that does not block, as soon as it has one."""
        while True:
            try:
                return call()
            except BlockingIOError:
                self._poll.modify(self._connection, events)
                self._wait(ENDLESS_S)


if __name__ == "__main__":
    _serve()

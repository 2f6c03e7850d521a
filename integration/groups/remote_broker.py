"""Requests to a broker over the network, for one group: connections, time and topic names."""

from __future__ import annotations

import selectors
import time
import uuid
from collections.abc import Callable
from typing import Any

from integration.wire.connection import Connection
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest


class RemoteBroker:
    """The connections, the time and the topic names of a group script.

    *prefix* precedes the names of its topics, to make them unique.
    """

    def __init__(self, bootstrap: str, prefix: str | None = None) -> None:
        self.group = f"script-{uuid.uuid4().hex}"
        self.prefix = f"{uuid.uuid4().hex[:8]}." if prefix is None else prefix
        self._bootstrap = bootstrap
        self._main = Connection(bootstrap)
        self._selector = selectors.DefaultSelector()
        self._parked: dict[Connection, Callable[[Any], None]] = {}
        self._started = time.monotonic()
        self.sent = self.responses = 0
        self._await_coordinator()

    def close(self) -> None:
        """Close all connections."""
        self._main.close()
        for connection in self._parked:
            connection.close()
        self._selector.close()

    def end_request(self) -> None:
        """Do nothing: the broker ends its requests itself."""

    def now_ms(self) -> float:
        """The time since the script began."""
        return (time.monotonic() - self._started) * 1000

    def wait(self, duration_ms: float) -> None:
        """Wait for a duration; responses are handled as they arrive."""
        until = time.monotonic() + duration_ms / 1000
        while (left := until - time.monotonic()) > 0:
            self.take(left)

    # ---------------------------------------------------------------------------- requests

    def request(self, body: Any, version: int | None = None, client: str = "player") -> Any:
        """Send a request on a connection without waiting requests, and return its response."""
        version = body.__spec__.versions[-1] if version is None else version
        frame = self._main.request(encode_request(body, version, 1, client))
        return decode_response(RESPONSES[body.__spec__.key], version, memoryview(frame))[1]

    def park(
        self, body: Any, version: int, client: str, on_response: Callable[[Any], None]
    ) -> None:
        """Send a request whose response may arrive much later."""
        connection = Connection(self._bootstrap)
        connection.send(encode_request(body, version, 1, client))
        self.sent += 1

        def on_readable() -> None:
            frame = memoryview(connection.receive())
            on_response(decode_response(RESPONSES[body.__spec__.key], version, frame)[1])

        self._parked[connection] = lambda _: on_readable()
        self._selector.register(connection.socket, selectors.EVENT_READ, connection)

    @property
    def is_awaiting(self) -> bool:
        """Whether a request has no response yet."""
        return bool(self._parked)

    def take(self, timeout_s: float) -> bool:
        """Handle the responses that have arrived; False if there is none in time."""
        ready = self._selector.select(timeout_s) if self._parked else ()
        if not self._parked:
            time.sleep(timeout_s)
        for key, _ in ready:
            connection: Connection = key.data
            self._selector.unregister(connection.socket)
            self.responses += 1
            self._parked.pop(connection)(None)
            connection.close()
        return bool(ready)

    def _await_coordinator(self) -> None:
        body = FindCoordinatorRequest(key_type=0, coordinator_keys=[self.group])
        while self.request(body).coordinators[0].error_code or self._is_loading():
            time.sleep(0.1)

    def _is_loading(self) -> bool:
        reported = self.request(DescribeGroupsRequest(groups=[self.group]), 5).groups[0]
        return bool(reported.error_code)

    # -------------------------------------------------------------------------- topic names

    def real(self, name: str) -> str:
        """The name of a script's topic on the broker, which has topics of other scripts, too."""
        return self.prefix + name

    def reported(self, name: str) -> str:
        """The name of a topic in the script."""
        return name.removeprefix(self.prefix)

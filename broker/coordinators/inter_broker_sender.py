"""Sends requests to nodes, also to the own one: one request in flight for each destination.

    wake(node) --> next_request(node) --> connect --> send --> receive --> on_response(response)
                        ^                    `---- disconnected, timed out --> on_response(None)
                        `------------------------------------------------------------'

Requests that become necessary while one is in flight are collected by the caller, whose
``next_request`` then returns one request for all of them. Kafka's ``InterBrokerSendThread``. Each
destination has a task, which connects; on an open connection requests are sent, and responses
handled, without a task switch.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf
from typing import Any, Final, Protocol

import trio

from broker.config import Config
from broker.controller.metadata.image import Broker
from broker.network.inter_broker.inter_broker_connection import InterBrokerConnection
from broker.network.inter_broker.inter_broker_connections import InterBrokerConnections
from broker.network.inter_broker.link import Link
from broker.network.transports.transport import Disconnected
from broker.steps.queue import Slices, StepQueue
from broker.steps.schedule import schedule_once
from broker.steps.timed_event import TimedEvent
from protocol.codec import Malformed
from protocol.lazy_dataclass import dataclass
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

log = logging.getLogger("antechamber.coordinators")

# How long a destination is not connected to after a connection has failed or ended.
RECONNECT_BACKOFF_MS: Final = 50


class SendingNode(Protocol):
    """What a sender needs from its node."""

    node_id: int
    config: Config
    timer: SystemTimer

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        ...

    def alive(self, node_id: int) -> Broker | None:
        """The node in the metadata; None if it is fenced or unknown."""
        ...

    def link_to(self, node_id: int) -> Link:
        """The link to another node."""
        ...


@dataclass(frozen=True, slots=True)
class SenderParts:
    """What the senders of a node have in common; ``actions`` are run after each callback."""

    node: SendingNode
    connections: InterBrokerConnections
    actions: ActionQueue
    steps: StepQueue


@dataclass(frozen=True, slots=True)
class InterBrokerRequest:
    """A request, and the callback for its response.

    The callback gets None after a disconnect, a failed connection or a timeout, and handles the
    response in slices. An exception ends the callback and is reported; later requests are sent. A
    request may have calls of several clients, so a callback contains the exceptions of each of them
    (`call_back`).
    """

    body: Any
    on_response: Callable[[Any | None], Slices[None]]


def call_back(node: SendingNode, what: str, callback: Callable[[], object]) -> None:
    """Call *callback*, which handles one of the results in a response; report its exception."""
    try:
        callback()
    except Exception as error:
        node.timer.on_error(what, error)


# The request to send now to the node with that id; None if there is none.
NextRequest = Callable[[int], InterBrokerRequest | None]


class InterBrokerSender:
    """Sends the requests of *next_request*; *name* is a part of the client id of connections."""

    def __init__(self, name: str, parts: SenderParts, next_request: NextRequest) -> None:
        self._client_id = f"node-{parts.node.node_id}-{name}"
        self._parts = parts
        self._next_request = next_request
        self._destinations: dict[int, _Destination] = {}
        self._to_start: list[_Destination] = []
        self._added = trio.Event()

    def wake(self, node_id: int) -> None:
        """Send the next request to the node with that id, when the one in flight has ended."""
        destination = self._destinations.get(node_id)
        if destination is None:
            destination = self._destinations[node_id] = _Destination(
                node_id, self._client_id, self._parts, self._next_request
            )
            self._to_start.append(destination)
            self._added.set()
        destination.wake()

    async def run(self) -> None:
        """Send requests until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                for destination in self._to_start:
                    nursery.start_soon(destination.run)
                self._to_start = []
                await self._added.wait()
                self._added = trio.Event()


class _Destination:
    """The connection to one node, and the request in flight on it.

    While none is in flight, `wake` sends a request at once. A response is passed to its callback
    at once. The task continues a callback that needs several slices, and ends what a connection
    leaves in flight.
    """

    def __init__(
        self, node_id: int, client_id: str, parts: SenderParts, next_request: NextRequest
    ) -> None:
        self._node_id = node_id
        self._client_id = client_id
        self._node = parts.node
        self._connections = parts.connections
        self._actions = parts.actions
        self._steps = parts.steps
        self._next_request = next_request
        self._link = parts.node.link_to(node_id)
        self._wake = TimedEvent(parts.node.timer)
        self._connection: InterBrokerConnection | None = None
        self._in_flight: InterBrokerRequest | None = None
        self._time_limit: TimerTask | None = None
        self._callback: Slices[None] | None = None  # what remains of it for the task
        self._failure: Exception | None = None  # why the connection has ended
        self._connecting = trio.CancelScope()
        self._may_connect_ms = -inf

    def wake(self) -> None:
        """Send the next request, now or when the one in flight has ended."""
        if self._connection is None:
            self._wake.set()
        elif self._in_flight is None and self._begin_next():
            self._send(self._connection)

    async def run(self) -> None:
        """Send one request after the other until cancelled."""
        try:
            while True:
                if self._callback is not None:
                    await self._finish_callback(self._callback)
                elif self._failure is not None:
                    self._fail(self._failure)
                elif self._connection is not None:
                    await self._wake.wait()
                elif (backoff_ms := self._may_connect_ms - self._node.now_ms()) > 0:
                    await self._wake.wait(backoff_ms)
                elif self._begin_next():
                    await self._open()
                else:
                    await self._wake.wait()
        finally:
            self._disconnect()

    def _begin_next(self) -> bool:
        """Put the next request in flight, if there is one; its time begins."""
        assert self._in_flight is None
        self._in_flight = self._next_request(self._node_id)
        if self._in_flight is None:
            return False
        self._time_limit = schedule_once(
            self._node.timer, self._time_out, delay_ms=self._node.config.request_timeout_ms
        )
        return True

    def _send(self, connection: InterBrokerConnection) -> None:
        assert self._in_flight is not None
        try:
            connection.send_request(self._in_flight.body, self._responded)
        except Exception as error:
            connection.close()
            self._connection_ended(error)

    async def _open(self) -> None:
        """Connect, and send the request in flight."""
        try:
            destination = self._node.alive(self._node_id)
            if destination is None:
                raise Disconnected("it is not registered or fenced")
            with trio.CancelScope() as self._connecting:
                self._connection = await self._connections.open(
                    self._link,
                    destination.host,
                    destination.port,
                    self._client_id,
                    self._connection_ended,
                )
                self._send(self._connection)
                return
            raise Disconnected("no connection within request.timeout.ms")
        except (Disconnected, OSError) as error:
            self._failure = error

    # ------------------------------------------------------------ in the task of connections

    def _responded(self, response: Any) -> Slices[None]:
        """Pass a response to the callback of its request, then send the next request."""
        self._complete(response)
        yield from ()

    def _connection_ended(self, reason: Exception) -> None:
        """Let the task end the request in flight."""
        self._connection = None
        self._failure = reason
        self._wake.set()

    def _time_out(self) -> None:
        if self._connection is None:
            self._connecting.cancel()
        else:
            self._connection.close()
            self._connection_ended(Disconnected("no response within request.timeout.ms"))

    # ------------------------------------------------------------------------------- its end

    def _complete(self, response: Any | None) -> None:
        """Pass the response, or None, to the callback of the request in flight.

        The request is in flight until its callback has ended, so that all requests which that makes
        are sent together. Other tasks run between two slices of the callback.
        """
        request, limit = self._in_flight, self._time_limit
        assert request is not None
        assert limit is not None
        limit.cancel()
        callback = request.on_response(response)
        if self._has_ended(callback):
            self._in_flight = None
            self.wake()
        else:
            self._callback = callback
            self._wake.set()

    async def _finish_callback(self, callback: Slices[None]) -> None:
        await trio.lowlevel.checkpoint()
        while not self._has_ended(callback):
            await trio.lowlevel.checkpoint()
        self._in_flight = self._callback = None
        self.wake()

    def _has_ended(self, callback: Slices[None]) -> bool:
        """Run the next slice of a callback; whether it was the last one."""
        try:
            self._steps.run_slice(callback)
        except StopIteration:
            return True
        except Exception as error:
            self._node.timer.on_error(f"a response of node {self._node_id}", error)
            return True
        finally:
            self._actions.try_complete_actions()
        return False

    def _fail(self, error: Exception) -> None:
        """End the request in flight; without one there is no back-off."""
        self._failure = None
        if not isinstance(error, (Disconnected, Malformed, OSError)):
            self._node.timer.on_error(f"a request to node {self._node_id}", error)
        if self._in_flight is not None:
            log.info("%s: node %d: %s", self._client_id, self._node_id, error)
            self._may_connect_ms = self._node.now_ms() + RECONNECT_BACKOFF_MS
            self._complete(None)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

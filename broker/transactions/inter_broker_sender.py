"""Sends requests to nodes, also to the own one: one request in flight for each destination.

    wake(node) --> next_request(node) --> connect --> send --> receive --> on_response(response)
                        ^                    `---- disconnected, timed out --> on_response(None)
                        `------------------------------------------------------------'

Requests that become necessary while one is in flight are collected by the caller, whose
``next_request`` then returns one request for all of them. Kafka's ``InterBrokerSendThread``; each
destination is a task.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple, Protocol, TypeVar

import trio

from broker.config import Config
from broker.controller.image import Broker
from broker.network.inter_broker_connection import InterBrokerConnection
from broker.network.transport import Connect, Disconnected
from broker.steps.schedule import schedule_once
from broker.steps.timed_event import TimedEvent
from protocol.codec import Malformed
from protocol.framing import Scratch
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.transactions")

# How long a destination is not connected to after a connection has failed or ended.
RECONNECT_BACKOFF_MS = 50

Body = TypeVar("Body")


class SendingNode(Protocol):
    """What a sender needs from its node."""

    node_id: int
    config: Config
    scratch: Scratch
    timer: SystemTimer

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        ...

    def alive(self, node_id: int) -> Broker | None:
        """The node in the metadata; None if it is fenced or unknown."""
        ...


class InterBrokerRequest(NamedTuple):
    """A request, and the callback for its response.

    The callback gets None after a disconnect, a failed connection or a timeout. An exception of it
    is reported and does not affect other requests.
    """

    body: Any
    on_response: Callable[[Any | None], object]


# The request to send now to the node with that id; None if there is none.
NextRequest = Callable[[int], InterBrokerRequest | None]


class InterBrokerSender:
    """Sends the requests of *next_request*; the connections name themselves *client_id*.

    *actions* are run after each callback.
    """

    def __init__(
        self,
        client_id: str,
        node: SendingNode,
        connect: Connect,
        actions: ActionQueue,
        next_request: NextRequest,
    ) -> None:
        self._client_id = client_id
        self._node = node
        self._connect = connect
        self._actions = actions
        self._next_request = next_request
        self._destinations: dict[int, _Destination] = {}
        self._to_start: list[_Destination] = []
        self._added = trio.Event()

    def wake(self, node_id: int) -> None:
        """Send the next request to the node with that id, when the one in flight has ended."""
        destination = self._destinations.get(node_id)
        if destination is None:
            destination = self._destinations[node_id] = _Destination(
                node_id,
                self._client_id,
                self._node,
                self._connect,
                self._actions,
                self._next_request,
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
    """The connection to one node, and the request in flight on it."""

    def __init__(
        self,
        node_id: int,
        client_id: str,
        node: SendingNode,
        connect: Connect,
        actions: ActionQueue,
        next_request: NextRequest,
    ) -> None:
        self._node_id = node_id
        self._client_id = client_id
        self._node = node
        self._connect = connect
        self._actions = actions
        self._next_request = next_request
        self._wake = TimedEvent(node.timer)
        self._connection: InterBrokerConnection | None = None
        self._connecting = trio.CancelScope()
        self._may_connect_ms = -inf

    def wake(self) -> None:
        """Send the next request when none is in flight."""
        self._wake.set()

    async def run(self) -> None:
        """Send one request after the other until cancelled."""
        try:
            while True:
                backoff_ms = self._may_connect_ms - self._node.now_ms()
                request = None if backoff_ms > 0 else self._next_request(self._node_id)
                if request is not None:
                    await self._exchange(request)
                else:
                    await self._wake.wait(backoff_ms if backoff_ms > 0 else inf)
        finally:
            self._disconnect()

    async def _exchange(self, request: InterBrokerRequest) -> None:
        """Send a request and pass its response, or None, to its callback."""
        timer = self._node.timer
        limit = schedule_once(timer, self._time_out, delay_ms=self._node.config.request_timeout_ms)
        response = None
        try:
            connection = await self._connected()
            response = await connection.send_request(request.body, _decoded)
        except (Disconnected, Malformed, OSError) as error:
            log.info("%s: node %d: %s", self._client_id, self._node_id, error)
            self._back_off()
        except Exception as error:
            timer.on_error(f"a request to node {self._node_id}", error)
            self._back_off()
        finally:
            limit.cancel()
        try:
            request.on_response(response)
        except Exception as error:
            timer.on_error(f"a response of node {self._node_id}", error)
        finally:
            self._actions.try_complete_actions()

    async def _connected(self) -> InterBrokerConnection:
        if self._connection is not None and self._connection.is_idle:
            return self._connection
        self._disconnect()
        destination = self._node.alive(self._node_id)
        if destination is None:
            raise Disconnected("it is not registered or fenced")
        with trio.CancelScope() as self._connecting:
            transport = await self._connect(destination.host, destination.port)
            self._connection = InterBrokerConnection(transport, self._node.scratch, self._client_id)
            return self._connection
        raise Disconnected("no connection within request.timeout.ms")

    def _time_out(self) -> None:
        self._connecting.cancel()
        if self._connection is not None:
            self._connection.close()

    def _back_off(self) -> None:
        self._disconnect()
        self._may_connect_ms = self._node.now_ms() + RECONNECT_BACKOFF_MS

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _decoded(response: Body) -> Body:
    """The response; none of its fields is a view of the receive buffer."""
    return response

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
from typing import Any, NamedTuple, Protocol

import trio

from broker.config import Config
from broker.controller.image import Broker
from broker.network.inter_broker_connection import InterBrokerConnection, always
from broker.network.link import Link
from broker.network.transport import Connect, Disconnected
from broker.steps.queue import Slices, StepQueue
from broker.steps.schedule import schedule_once
from broker.steps.timed_event import TimedEvent
from protocol.codec import Malformed
from protocol.framing import Scratch
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

log = logging.getLogger("antechamber.coordinators")

# How long a destination is not connected to after a connection has failed or ended.
RECONNECT_BACKOFF_MS = 50


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

    def link_to(self, node_id: int) -> Link:
        """The link to another node."""
        ...


class InterBrokerRequest(NamedTuple):
    """A request, and the callback for its response.

    The callback gets None after a disconnect, a failed connection or a timeout, and handles the
    response in slices. An exception of it is reported and does not affect other requests.
    """

    body: Any
    on_response: Callable[[Any | None], Slices[None]]


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
        steps: StepQueue,
        next_request: NextRequest,
    ) -> None:
        self._client_id = client_id
        self._node = node
        self._connect = connect
        self._actions = actions
        self._steps = steps
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
                self._steps,
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
    """The connection to one node, and the request in flight on it.

    The task of the destination connects, and then waits for responses or the end of the
    connection. While none is in flight, `wake` sends a request at once, without a task switch.
    """

    def __init__(
        self,
        node_id: int,
        client_id: str,
        node: SendingNode,
        connect: Connect,
        actions: ActionQueue,
        steps: StepQueue,
        next_request: NextRequest,
    ) -> None:
        self._node_id = node_id
        self._client_id = client_id
        self._node = node
        self._connect = connect
        self._actions = actions
        self._steps = steps
        self._next_request = next_request
        self._link = node.link_to(node_id)
        self._wake = TimedEvent(node.timer)
        self._connection: InterBrokerConnection | None = None
        self._in_flight: InterBrokerRequest | None = None
        self._time_limit: TimerTask | None = None
        # What the task waits in: for the connection, or for a response.
        self._waiting = trio.CancelScope()
        self._may_connect_ms = -inf

    def wake(self) -> None:
        """Send the next request, now or when the one in flight has ended."""
        if self._connection is None:
            self._wake.set()
        elif self._in_flight is None:
            self._send_next(self._connection)

    async def run(self) -> None:
        """Send one request after the other until cancelled."""
        try:
            while True:
                if self._connection is not None:
                    await self._receive(self._connection)
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

    def _send_next(self, connection: InterBrokerConnection) -> None:
        if self._begin_next():
            self._send(connection)
            if not connection.is_sent:
                self._waiting.cancel()  # the task is to wait until the rest can be sent

    def _send(self, connection: InterBrokerConnection) -> None:
        assert self._in_flight is not None
        try:
            connection.begin(self._in_flight.body)
        except Disconnected:
            connection.close()  # the task detects it
        except Exception as error:
            self._node.timer.on_error(f"a request to node {self._node_id}", error)
            connection.close()

    async def _open(self) -> None:
        """Connect, and send the request in flight."""
        try:
            destination = self._node.alive(self._node_id)
            if destination is None:
                raise Disconnected("it is not registered or fenced")
            with trio.CancelScope() as self._waiting:
                transport = await self._link.connect(
                    self._connect, destination.host, destination.port
                )
                self._connection = InterBrokerConnection(
                    transport, self._node.scratch, self._client_id, always, self._link
                )
                self._send(self._connection)
                return
            raise Disconnected("no connection within request.timeout.ms")
        except (Disconnected, OSError) as error:
            await self._failed(error)

    async def _receive(self, connection: InterBrokerConnection) -> None:
        """Wait for responses until the connection ends, or a request is not wholly sent.

        `_send_next` cancels the scope then, and `InterBrokerConnection.response` sends the rest
        when it is called again. One scope for all responses: entering one for each takes longer
        than decoding the response.
        """
        try:
            with trio.CancelScope() as self._waiting:
                while True:
                    await self._complete(await connection.response())
                    self.wake()
        except (Disconnected, Malformed, OSError) as error:
            await self._failed(error)
        except Exception as error:
            self._node.timer.on_error(f"a response of node {self._node_id}", error)
            await self._failed(error)

    async def _failed(self, error: Exception) -> None:
        """End the connection and the request in flight; without a request there is no back-off."""
        self._disconnect()
        if self._in_flight is not None:
            log.info("%s: node %d: %s", self._client_id, self._node_id, error)
            self._may_connect_ms = self._node.now_ms() + RECONNECT_BACKOFF_MS
            await self._complete(None)

    async def _complete(self, response: Any | None) -> None:
        """Pass the response, or None, to the callback of the request in flight.

        The request is in flight until its callback has ended, so that all requests which that makes
        are sent together. Other tasks run between two slices of the callback.
        """
        request, limit = self._in_flight, self._time_limit
        assert request is not None
        assert limit is not None
        limit.cancel()
        slices = request.on_response(response)
        try:
            while not self._has_ended(slices):
                await trio.lowlevel.checkpoint()
        finally:
            self._in_flight = None

    def _has_ended(self, slices: Slices[None]) -> bool:
        """Run the next slice of a callback; whether it was the last one."""
        try:
            self._steps.run_slice(slices)
        except StopIteration:
            return True
        except Exception as error:
            self._node.timer.on_error(f"a response of node {self._node_id}", error)
            return True
        finally:
            self._actions.try_complete_actions()
        return False

    def _time_out(self) -> None:
        if self._connection is None:
            self._waiting.cancel()
        else:
            self._connection.close()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

"""Requests between nodes: one in flight for each destination."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

import pytest
import trio

from broker.coordinators.inter_broker_sender import InterBrokerRequest, InterBrokerSender
from broker.steps.queue import Slices
from protocol.messages.write_txn_markers import WriteTxnMarkersRequest, WriteTxnMarkersResponse
from tests.broker.coordinators.scripted_broker import (
    OWN,
    ScriptedBrokers,
    SendingBroker,
    pass_ms,
    sending,
    settle,
)

pytestmark = pytest.mark.anyio

RESPONSE = WriteTxnMarkersResponse(markers=[])


@dataclass
class Requests:
    """Requests by destination, and the results of their callbacks in order."""

    node: SendingBroker
    brokers: ScriptedBrokers
    sender: InterBrokerSender = field(init=False)
    results: list[tuple[str, Any]] = field(default_factory=list)
    queues: dict[int, deque[str]] = field(default_factory=dict)
    was_sent_in_callback: bool | None = None

    def __post_init__(self) -> None:
        self.sender = InterBrokerSender("sender", self.node.sender_parts(self.brokers), self._next)

    async def add(self, node_id: int, *names: str) -> None:
        """Queue requests, and run all tasks until only time is awaited."""
        self.queues.setdefault(node_id, deque()).extend(names)
        self.sender.wake(node_id)
        await settle()

    def _next(self, node_id: int) -> InterBrokerRequest | None:
        queue = self.queues.get(node_id)
        if not queue:
            return None
        name = queue.popleft()
        markers: Any = None if name == "unencodable" else []
        body = WriteTxnMarkersRequest(markers=markers)
        return InterBrokerRequest(body, partial(self._ended, name))

    def _ended(self, name: str, response: Any) -> Slices[None]:
        self.results.append((name, response))
        if name == "wakes":
            self.sender.wake(2)
            self.was_sent_in_callback = self.brokers.last(2).request() is not None
        if name == "raises":
            raise ValueError(name)
        if name == "long":
            for part in range(10):
                yield None
                self.results.append((f"part {part}", response))


@asynccontextmanager
async def requests() -> AsyncIterator[tuple[Requests, ScriptedBrokers, SendingBroker]]:
    """A running sender."""
    async with sending() as (node, brokers, nursery):
        made = Requests(node, brokers)
        nursery.start_soon(made.sender.run)
        yield made, brokers, node


async def test_a_request_is_sent_and_its_response_is_passed_to_the_callback() -> None:
    """In the newest version, with the sender's client id."""
    async with requests() as (made, brokers, _):
        await made.add(2, "a")
        assert brokers.last(2).request() == WriteTxnMarkersRequest(markers=[])
        assert brokers.last(2).client_id == "node-1-sender"
        assert made.results == []

        await brokers.last(2).respond(RESPONSE)

        assert made.results == [("a", RESPONSE)]


async def test_a_long_callback_runs_in_slices() -> None:
    """Other tasks run between them, and the next request is sent after the last one."""
    async with requests() as (made, brokers, node):
        node.steps.now_ms = count().__next__  # a slice has two parts
        await made.add(2, "long", "b")
        brokers.last(2).request()
        before = node.steps.slices_run

        await brokers.last(2).respond(RESPONSE)

        assert [name for name, _ in made.results] == ["long", *[f"part {n}" for n in range(10)]]
        assert node.steps.slices_run - before > 3
        assert brokers.last(2).request() is not None


async def test_requests_to_the_own_node_use_a_connection_too() -> None:
    """As in Kafka."""
    async with requests() as (made, brokers, _):
        await made.add(OWN, "a")

        assert len(brokers.connections(OWN)) == 1


async def test_one_request_is_in_flight_for_each_destination() -> None:
    """The next one is sent on the same connection after the response."""
    async with requests() as (made, brokers, _):
        await made.add(2, "a", "b")
        await made.add(3, "c")
        assert brokers.last(2).request() is not None
        assert brokers.last(2).request() is None
        assert brokers.last(3).request() is not None

        await brokers.last(2).respond(RESPONSE)

        assert brokers.last(2).request() is not None
        assert len(brokers.connections(2)) == 1


async def test_an_idle_connection_sends_without_a_task_switch() -> None:
    """The request is sent when `wake` returns."""
    async with requests() as (made, brokers, _):
        await made.add(2, "a")
        brokers.last(2).request()
        await brokers.last(2).respond(RESPONSE)
        made.queues[2].append("b")

        made.sender.wake(2)

        assert brokers.last(2).request() is not None


async def test_requests_of_a_callback_are_sent_after_it() -> None:
    """Also if it makes several, of which the first could be sent alone."""
    async with requests() as (made, brokers, _):
        await made.add(2, "wakes")
        brokers.last(2).request()
        made.queues[2].append("b")

        await brokers.last(2).respond(RESPONSE)

        assert made.was_sent_in_callback is False
        assert brokers.last(2).request() is not None


async def test_a_request_that_the_socket_does_not_take_at_once_is_sent_in_parts() -> None:
    """On a new connection and on an idle one."""
    async with requests() as (made, brokers, _):
        brokers.room = 10
        for name in ("a", "b"):
            await made.add(2, name)
            received = brokers.last(2)
            request = received.request()
            while request is None:
                await settle()
                request = received.request()

            await received.respond(RESPONSE)

        assert made.results == [("a", RESPONSE), ("b", RESPONSE)]


async def test_a_response_without_a_request_closes_the_connection() -> None:
    """The next request uses another one."""
    async with requests() as (made, brokers, _):
        await made.add(2, "a")
        brokers.last(2).request()
        await brokers.last(2).respond(RESPONSE)

        await brokers.last(2).respond(RESPONSE)

        assert brokers.last(2).is_closed
        await made.add(2, "b")
        assert brokers.last(2).request() is not None


async def test_a_disconnect_ends_the_request_in_flight() -> None:
    """The next request is sent on another connection, after the back-off of 50 ms."""
    async with requests() as (made, brokers, _):
        await made.add(2, "a", "b")
        await brokers.last(2).close()
        assert made.results == [("a", None)]

        await pass_ms(49)
        assert len(brokers.connections(2)) == 1
        await pass_ms(3)

        assert len(brokers.connections(2)) == 2
        assert brokers.last(2).request() is not None


async def test_a_refused_connection_ends_the_request() -> None:
    """The next attempt is made after the back-off."""
    async with requests() as (made, brokers, _):
        brokers.down.add(2)
        await made.add(2, "a", "b")
        assert made.results == [("a", None)]

        brokers.down.clear()
        await pass_ms(52)

        assert brokers.last(2).request() is not None


async def test_a_node_that_is_not_alive_is_not_connected_to() -> None:
    """It is fenced, or not registered."""
    async with requests() as (made, brokers, node):
        del node.brokers[2]

        await made.add(2, "a")

        assert made.results == [("a", None)]
        assert not brokers.connections(2)


async def test_a_request_without_response_times_out() -> None:
    """After request.timeout.ms its connection is closed."""
    async with requests() as (made, brokers, node):
        node.config.request_timeout_ms = 6000
        await made.add(2, "a")
        await pass_ms(5999)
        assert made.results == []

        await pass_ms(3)

        assert made.results == [("a", None)]
        assert brokers.last(2).is_closed


async def test_a_connection_attempt_times_out() -> None:
    """The time of the attempt is part of the request's."""
    async with requests() as (made, brokers, node):
        node.config.request_timeout_ms = 6000
        brokers.deaf.add(2)
        await made.add(2, "a")
        assert made.results == []

        await pass_ms(6002)

        assert made.results == [("a", None)]


async def test_a_connection_that_was_closed_while_idle_is_replaced() -> None:
    """The request does not fail, and no back-off applies."""
    async with requests() as (made, brokers, _):
        await made.add(2, "a")
        brokers.last(2).request()
        await brokers.last(2).respond(RESPONSE)
        await brokers.last(2).close()

        await made.add(2, "b")

        assert brokers.last(2).request() is not None
        assert made.results == [("a", RESPONSE)]


async def test_an_exception_of_a_callback_is_reported() -> None:
    """The next request is sent."""
    async with requests() as (made, brokers, node):
        await made.add(2, "raises", "b")
        brokers.last(2).request()
        await brokers.last(2).respond(RESPONSE)

        assert [str(error) for error in node.errors] == ["raises"]
        assert brokers.last(2).request() is not None


async def test_a_request_that_cannot_be_encoded_is_reported_once() -> None:
    """It ends like one without a response, and the next one is sent after the back-off."""
    async with requests() as (made, brokers, node):
        await made.add(2, "unencodable", "b")
        assert len(node.errors) == 1
        assert made.results == [("unencodable", None)]

        await pass_ms(52)

        assert brokers.last(2).request() is not None


async def test_queued_actions_run_after_a_callback() -> None:
    """A callback may append, and appends queue the checks of what waits."""
    async with requests() as (made, brokers, node):
        ran: list[int] = []
        await made.add(2, "a")
        node.actions.add(lambda: ran.append(1))
        brokers.last(2).request()
        assert ran == []

        await brokers.last(2).respond(RESPONSE)

        assert ran == [1]


async def test_a_sender_that_is_cancelled_closes_its_connections() -> None:
    """And calls no callback."""
    async with sending() as (node, brokers, _):
        made = Requests(node, brokers)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(made.sender.run)
            await made.add(2, "a")
            nursery.cancel_scope.cancel()

        assert brokers.last(2).is_closed
        assert made.results == []

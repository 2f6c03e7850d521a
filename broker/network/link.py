"""The link of a node to another one, on which a connection sends requests and gets responses.

While no fault rule concerns the link, a connection only tests `Direction.is_faulty`. Otherwise each
request and each response is a message of its direction. A message that is lost or withheld ends
with the connection, when the time limit of the requesting side has passed: Kafka's `NetworkClient`
disconnects after the request timeout.
"""

from __future__ import annotations

from math import inf

import trio

from broker.links.direction import Carried, Direction
from broker.network.transport import Connect, Disconnected, Transport
from broker.steps.schedule import schedule_once
from purgatories.timer.system_timer import SystemTimer


class Passage:
    """A message on its way; ``is_over`` once it has arrived, or will not."""

    __slots__ = ("_ended", "_failure", "_message", "is_over")

    def __init__(self) -> None:
        self._message = Carried(self._arrived)
        self._ended = trio.Event()
        self._failure: str | None = None
        self.is_over = False

    @classmethod
    def of_message(cls, direction: Direction) -> Passage | None:
        """Send a request or a response; None if it has arrived at once."""
        passage = cls()
        return None if direction.carry(passage._message) else passage

    @classmethod
    def of_setup(cls, direction: Direction) -> Passage | None:
        """Send a packet of the set-up of a connection; None if it has arrived at once."""
        passage = cls()
        return None if direction.carry_setup(passage._message) else passage

    async def wait(self, timer: SystemTimer, at_most_ms: float, what: str) -> None:
        """Return when the message has arrived; raises `Disconnected` after *at_most_ms*."""
        limit = None
        if at_most_ms != inf:
            limit = schedule_once(timer, lambda: self.end(what), delay_ms=at_most_ms)
        try:
            await self._ended.wait()
        finally:
            if limit is not None:
                limit.cancel()
        if self._failure is not None:
            raise Disconnected(self._failure)

    def end(self, failure: str) -> None:
        """The message does not arrive any more: its connection ends because of *failure*."""
        if not self.is_over:
            self._failure = failure
            self._message.cancel()
            self._arrived()

    def _arrived(self) -> None:
        self.is_over = True
        self._ended.set()


class Link:
    """Both directions; ``timer`` measures how long a message is withheld at most.

    ``request_timeout_ms`` is the time after which a connection whose message is withheld ends,
    ``setup_timeout_ms`` that for the set-up of a connection.
    """

    __slots__ = ("incoming", "outgoing", "request_timeout_ms", "setup_timeout_ms", "timer")

    def __init__(
        self,
        outgoing: Direction,
        incoming: Direction,
        timer: SystemTimer,
        *,
        request_timeout_ms: float,
        setup_timeout_ms: float,
    ) -> None:
        self.outgoing = outgoing
        self.incoming = incoming
        self.timer = timer
        self.request_timeout_ms = request_timeout_ms
        self.setup_timeout_ms = setup_timeout_ms

    def rules(self) -> list[dict[str, object]]:
        """The fault rules about the link, as wait records have them."""
        return [fault.label for each in (self.outgoing, self.incoming) for fault in each.faults]

    async def wait(self, passage: Passage) -> None:
        """Return when a request or a response has arrived; raises `Disconnected`."""
        failure = f"no response within {self.request_timeout_ms:g} ms"
        await passage.wait(self.timer, self.request_timeout_ms, failure)

    async def connect(self, connect: Connect, host: str, port: int) -> Transport:
        """A connection, whose set-up takes one packet in each direction.

        Raises OSError, and `Disconnected` if a packet does not arrive in time.
        """
        for direction in (self.outgoing, self.incoming):
            if direction.is_faulty and (passage := Passage.of_setup(direction)) is not None:
                failure = f"no connection within {self.setup_timeout_ms:g} ms"
                await passage.wait(self.timer, self.setup_timeout_ms, failure)
        return await connect(host, port)


def faultless_link(timer: SystemTimer) -> Link:
    """A link that no rule concerns."""
    return Link(
        Direction(timer), Direction(timer), timer, request_timeout_ms=inf, setup_timeout_ms=inf
    )

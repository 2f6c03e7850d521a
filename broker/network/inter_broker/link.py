"""The link of a node to another one, on which a connection sends requests and gets responses.

While no fault rule concerns the link, a connection only tests `Direction.is_faulty`. Otherwise each
request and each response is a message of its direction. A message that is lost or withheld ends
with the connection, when the time limit of the requesting side has passed: Kafka's `NetworkClient`
disconnects after the request timeout.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import trio

from broker.common.do_nothing import do_nothing
from broker.links.direction import Carried, Direction
from broker.network.transports.transport import Connect, Disconnected, Transport
from broker.steps.schedule import schedule_once
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class Passage:
    """A message on its way; ``is_over`` once it has arrived, or will not.

    ``on_over`` is called then. ``failure`` says why it will not arrive.
    """

    __slots__ = ("_limit", "_message", "failure", "is_over", "on_over")

    def __init__(self) -> None:
        self._message = Carried(self._arrived)
        self._limit: TimerTask | None = None
        self.failure: str | None = None
        self.is_over = False
        self.on_over: Callable[[], object] = do_nothing

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

    def limit(self, timer: SystemTimer, at_most_ms: float, what: str) -> None:
        """End the passage with the failure *what* after *at_most_ms*."""
        if at_most_ms != inf:
            self._limit = schedule_once(timer, lambda: self.end(what), delay_ms=at_most_ms)

    async def wait(self) -> None:
        """Return when the message has arrived; raises `Disconnected` if it will not."""
        over = trio.Event()
        self.on_over = over.set
        try:
            await over.wait()
        finally:
            self._end_limit()
        if self.failure is not None:
            raise Disconnected(self.failure)

    def end(self, failure: str) -> None:
        """End the passage before the message has arrived, because of *failure*."""
        if not self.is_over:
            self.failure = failure
            self._message.cancel()
            self._arrived()

    def _arrived(self) -> None:
        self.is_over = True
        self._end_limit()
        self.on_over()

    def _end_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()


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

    def withhold(self, passage: Passage, on_over: Callable[[], object]) -> None:
        """Call *on_over* when a request or a response has arrived, or its time is over."""
        passage.on_over = on_over
        failure = f"no response within {self.request_timeout_ms:g} ms"
        passage.limit(self.timer, self.request_timeout_ms, failure)

    async def connect(self, connect: Connect, host: str, port: int) -> Transport:
        """A connection, whose set-up takes one packet in each direction.

        Raises OSError, and `Disconnected` if a packet does not arrive in time.
        """
        for direction in (self.outgoing, self.incoming):
            if direction.is_faulty and (passage := Passage.of_setup(direction)) is not None:
                failure = f"no connection within {self.setup_timeout_ms:g} ms"
                passage.limit(self.timer, self.setup_timeout_ms, failure)
                await passage.wait()
        return await connect(host, port)

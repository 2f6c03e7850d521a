"""A request to the controller over a link with faults, sent again until it has a response.

    send --request--> controller --response--> on_response
      ^                                 |
      `---- no response in time: a new connection, on which the request is sent again

Kafka's ``NodeToControllerRequestThread`` disconnects after ``controller.socket.timeout.ms`` and
puts the request back into its queue. The controller may get it twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from broker.config import Config
from broker.faults.rule_spec import CONTROLLER
from broker.links.direction import Carried, Direction
from broker.links.links import Links
from broker.steps.schedule import schedule_once
from protocol.lazy_dataclass import dataclass
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

Response = TypeVar("Response")


@dataclass(slots=True)
class ControllerLink:
    """Both directions between a node and the controller, and how long a response may take."""

    outgoing: Direction
    incoming: Direction
    timer: SystemTimer
    timeout_ms: float

    @property
    def is_faulty(self) -> bool:
        """Whether a rule concerns the link, or messages are on their way."""
        return self.outgoing.is_faulty or self.incoming.is_faulty


def controller_link(
    links: Links, node_id: int, timer: SystemTimer, config: Config
) -> ControllerLink:
    """The link between a node and the controller."""
    return ControllerLink(
        links.direction(node_id, CONTROLLER),
        links.direction(CONTROLLER, node_id),
        timer,
        config.controller_socket_timeout_ms,
    )


class ControllerRequest(Generic[Response]):
    """One request; *request* is called when it arrives, *on_response* when its response does."""

    def __init__(
        self,
        link: ControllerLink,
        request: Callable[[], Response],
        on_response: Callable[[Response], object],
    ) -> None:
        self._link = link
        self._request = request
        self._on_response = on_response
        self._message: Carried | None = None
        self._limit: TimerTask | None = None

    def send(self) -> None:
        """Send the request, again if it was sent before."""
        self._limit = schedule_once(
            self._link.timer, self._timed_out, delay_ms=self._link.timeout_ms
        )
        self._pass(self._link.outgoing, self._arrived)

    def cancel(self) -> None:
        """Send no more, and ignore the response."""
        if self._limit is not None:
            self._limit.cancel()
        if self._message is not None:
            self._message.cancel()

    def _arrived(self) -> None:
        response = self._request()
        self._pass(self._link.incoming, lambda: self._responded(response))

    def _responded(self, response: Response) -> None:
        self.cancel()
        self._on_response(response)

    def _timed_out(self) -> None:
        """Connect again, which needs both directions, and send the request again."""
        self.cancel()
        self._connect(self._link.outgoing, lambda: self._connect(self._link.incoming, self.send))

    def _pass(self, direction: Direction, then: Callable[[], object]) -> None:
        self._message = Carried(then)
        if direction.carry(self._message):
            then()

    def _connect(self, direction: Direction, then: Callable[[], object]) -> None:
        self._message = Carried(then)
        if direction.carry_setup(self._message):
            then()

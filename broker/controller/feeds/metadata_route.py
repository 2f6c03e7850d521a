"""How changes of metadata reach a node while a rule concerns its link to the controller.

In Kafka a node fetches the metadata log. Its fetch waits at the controller for the next change, so
a change needs the time of one message. While either direction is cut no change arrives, and a
change that is lost is fetched again after ``controller.quorum.request.timeout.ms``.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.config import Config
from broker.faults.rule_spec import CONTROLLER
from broker.links.direction import Carried, Direction
from broker.links.links import Links
from protocol.lazy_dataclass import dataclass


@dataclass(slots=True)
class MetadataRoute:
    """From the controller to a node; ``outgoing`` is the direction of the node's fetches."""

    outgoing: Direction
    incoming: Direction
    resend_ms: float

    @property
    def is_faulty(self) -> bool:
        """Whether a rule concerns the link, or messages are on their way."""
        return self.outgoing.is_faulty or self.incoming.is_faulty

    def carry(self, deliver: Callable[[], object]) -> bool:
        """Send a change; True if it arrives at once, so that the caller delivers it."""

        def fetched() -> None:
            if self.incoming.carry(response):
                deliver()

        response = Carried(deliver, self.resend_ms)
        if not self.outgoing.carry_unless_cut(Carried(fetched)):
            return False
        return self.incoming.carry(response)


def metadata_route(links: Links, node_id: int, config: Config) -> MetadataRoute:
    """The route of changes to a node."""
    return MetadataRoute(
        links.direction(node_id, CONTROLLER),
        links.direction(CONTROLLER, node_id),
        config.controller_quorum_request_timeout_ms,
    )

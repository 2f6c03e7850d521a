"""The current leaders in responses to a node that is not the leader (KIP-951)."""

from __future__ import annotations

from typing import Final, NamedTuple

from broker.controller.metadata.image import NO_LEADER, Broker, MetadataImage, TopicImage
from protocol.errors import ErrorCode

WRONG_LEADER: Final = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH})


class Leader(NamedTuple):
    """A partition's leader and its epoch; -1 where unknown."""

    node_id: int
    epoch: int


class Leaders:
    """Finds the leaders for one response, and collects the brokers whose addresses it contains.

    Clients of *listener* are given its advertised addresses.
    """

    def __init__(self, image: MetadataImage, listener: str) -> None:
        self._image = image
        self._listener = listener
        self._named: dict[int, Broker] = {}

    def of(self, topic: TopicImage | None, partition: int) -> Leader:
        """The leader of a partition of *topic* in this node's image."""
        if topic is None or not 0 <= partition < len(topic.partitions):
            return Leader(NO_LEADER, -1)
        registration = topic.partitions[partition]
        broker = self._image.brokers.get(registration.leader)
        if broker is not None:
            self._named[broker.node_id] = broker
        return Leader(registration.leader, registration.leader_epoch)

    def endpoints(self) -> list[tuple[int, str, int]]:
        """The id, host and port of all leaders found so far."""
        return [
            (broker.node_id, *broker.endpoints[self._listener])
            for broker in self._named.values()
            if self._listener in broker.endpoints
        ]

"""A blocking connection that sends the messages of `protocol` and reads the responses."""

from __future__ import annotations

from typing import Any, Self
from uuid import UUID

from integration.wire.connection import Connection
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic


class Client:
    """A connection to one broker; a response has to be read before the next version is sent."""

    def __init__(self, bootstrap: str) -> None:
        self._connection = Connection(bootstrap)
        self._sent: tuple[type, int] = (object, 0)

    def send(self, body: Any, version: int | None = None) -> None:
        """Send a request, by default in its newest version."""
        spec = body.__spec__
        chosen = spec.versions[-1] if version is None else version
        self._sent = RESPONSES[spec.key], chosen
        self._connection.send(encode_request(body, chosen, 1, "workload"))

    def receive(self) -> Any:
        """Return the next response."""
        return decode_response(*self._sent, self._connection.receive())[1]

    def request(self, body: Any, version: int | None = None) -> Any:
        """Send a request and return its response."""
        self.send(body, version)
        return self.receive()

    def topic(self, name: str) -> tuple[UUID, str]:
        """Return the id of a topic, and the address of the leader of its partition 0."""
        response = self.request(MetadataRequest(topics=[MetadataRequestTopic(name=name)]))
        (topic,) = response.topics
        leader_id = topic.partitions[0].leader_id
        (leader,) = (each for each in response.brokers if each.node_id == leader_id)
        return topic.topic_id, f"{leader.host}:{leader.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

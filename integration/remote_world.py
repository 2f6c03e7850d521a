"""What a story needs of the world, from a broker at the other end of a wire: time and topics."""

from __future__ import annotations

import selectors
import time
import uuid
from collections.abc import Callable
from typing import Any

from integration.deadlines import eventually
from integration.remote_coordinator import RemoteCoordinator
from integration.wire.connection import Connection
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic


class RemoteWorld:
    """What a story needs besides a coordinator: time, topics, connections.

    *prefix* goes before the names of its topics, so that they are its own.
    """

    def __init__(self, bootstrap: str, prefix: str | None = None) -> None:
        self.group = f"story-{uuid.uuid4().hex}"
        self.prefix = f"{uuid.uuid4().hex[:8]}." if prefix is None else prefix
        self._bootstrap = bootstrap
        self._main = Connection(bootstrap)
        self._selector = selectors.DefaultSelector()
        self._parked: dict[Connection, Callable[[Any], None]] = {}
        self._started = time.monotonic()
        self.sent = self.answered = 0
        self.image = self
        self.names: dict[uuid.UUID, str] = {}
        self.coordinator = RemoteCoordinator(self)
        self._await_coordinator()

    def close(self) -> None:
        """Hang up."""
        self._main.close()
        for connection in self._parked:
            connection.close()
        self._selector.close()

    def end_request(self) -> None:
        """Do nothing: the broker ends its requests itself."""

    def now_ms(self) -> float:
        """Time since the story began."""
        return (time.monotonic() - self._started) * 1000

    def wait(self, duration_ms: float) -> None:
        """Let time pass; answers are taken in as they come."""
        until = time.monotonic() + duration_ms / 1000
        while (left := until - time.monotonic()) > 0:
            self.take(left)

    # ---------------------------------------------------------------------------- requests

    def ask(self, body: Any, version: int | None = None, client: str = "story") -> Any:
        """Send a request on a connection on which nobody waits, and wait for its answer."""
        version = body.__spec__.versions[-1] if version is None else version
        frame = self._main.ask(encode_request(body, version, 1, client))
        return decode_response(RESPONSES[body.__spec__.key], version, memoryview(frame))[1]

    def park(
        self, body: Any, version: int, client: str, on_response: Callable[[Any], None]
    ) -> None:
        """Send a request that may be answered much later."""
        connection = Connection(self._bootstrap)
        connection.send(encode_request(body, version, 1, client))
        self.sent += 1

        def on_readable() -> None:
            frame = memoryview(connection.receive())
            on_response(decode_response(RESPONSES[body.__spec__.key], version, frame)[1])

        self._parked[connection] = lambda _: on_readable()
        self._selector.register(connection.socket, selectors.EVENT_READ, connection)

    @property
    def is_awaiting(self) -> bool:
        """Whether a request has not been answered yet."""
        return bool(self._parked)

    def take(self, timeout_s: float) -> bool:
        """Take in one answer or more, as soon as there are any; False if there are none."""
        ready = self._selector.select(timeout_s) if self._parked else ()
        if not self._parked:
            time.sleep(timeout_s)
        for key, _ in ready:
            connection: Connection = key.data
            self._selector.unregister(connection.socket)
            self.answered += 1
            self._parked.pop(connection)(None)
            connection.close()
        return bool(ready)

    def _await_coordinator(self) -> None:
        body = FindCoordinatorRequest(key_type=0, coordinator_keys=[self.group])
        while self.ask(body).coordinators[0].error_code or self._is_loading():
            time.sleep(0.1)

    def _is_loading(self) -> bool:
        told = self.ask(DescribeGroupsRequest(groups=[self.group]), 5).groups[0]
        return bool(told.error_code)

    # ------------------------------------------------------------------------------- topics

    def real(self, name: str) -> str:
        """A topic's name on the broker, where other stories have topics, too."""
        return self.prefix + name

    def told(self, name: str) -> str:
        """A topic's name in the story."""
        return name.removeprefix(self.prefix)

    def put_topic(self, name: str, partitions: int) -> None:
        """Make a topic, or more of its partitions, and wait until the broker knows of it."""
        real = self.real(name)
        topic = CreatableTopic(
            name=real, num_partitions=partitions, replication_factor=1, assignments=[], configs=[]
        )
        (made,) = self.ask(CreateTopicsRequest(topics=[topic], timeout_ms=5000)).topics
        if made.error_code:
            growing = CreatePartitionsTopic(name=real, count=partitions, assignments=None)
            self.ask(
                CreatePartitionsRequest(topics=[growing], timeout_ms=5000, validate_only=False)
            )
        self._await_topic(real, partitions)
        wanted = [MetadataRequestTopic(name=real)]
        (found,) = self.ask(MetadataRequest(topics=wanted, allow_auto_topic_creation=False)).topics
        self.names[found.topic_id] = name

    def drop_topic(self, name: str) -> None:
        """Delete a topic."""
        state = DeleteTopicState(name=self.real(name))
        self.ask(DeleteTopicsRequest(topics=[state], topic_names=[], timeout_ms=5000))
        self._await_topic(self.real(name), 0)

    def _await_topic(self, real: str, partitions: int) -> None:
        """Wait until a consumer would be given so many partitions: its coordinator knows of them.

        What metadata tells is not enough: each part of Kafka learns of topics at its own time.
        """

        def assigned() -> bool:
            body = ConsumerGroupHeartbeatRequest(
                group_id=f"probe-{uuid.uuid4().hex}",
                member_id=uuid.uuid4().hex,
                member_epoch=0,
                rebalance_timeout_ms=60_000,
                subscribed_topic_names=[real],
                topic_partitions=[],
            )
            told = self.ask(body)
            topics = told.assignment.topic_partitions if told.assignment else []
            return sum(len(each.partitions) for each in topics) == partitions

        eventually(assigned, f"{partitions} partitions of {real} are assigned")

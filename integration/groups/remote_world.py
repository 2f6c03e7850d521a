"""The topics and the coordinator of a broker, as group scripts use them."""

from __future__ import annotations

import uuid

from integration.groups.remote_broker import RemoteBroker
from integration.groups.remote_coordinator import RemoteCoordinator
from integration.machine.deadlines import eventually
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic


class RemoteWorld(RemoteBroker):
    """Has the attributes of `VirtualWorld` that group scripts use, for a broker of any kind."""

    def __init__(self, bootstrap: str, prefix: str | None = None) -> None:
        super().__init__(bootstrap, prefix)
        self.image = self
        self.names: dict[uuid.UUID, str] = {}
        self.coordinator = RemoteCoordinator(self)

    def put_topic(self, name: str, partitions: int) -> None:
        """Create a topic, or add partitions, and wait until the broker knows them."""
        real = self.real(name)
        topic = CreatableTopic(
            name=real, num_partitions=partitions, replication_factor=1, assignments=[], configs=[]
        )
        (made,) = self.request(CreateTopicsRequest(topics=[topic], timeout_ms=5000)).topics
        if made.error_code:
            growing = CreatePartitionsTopic(name=real, count=partitions, assignments=None)
            self.request(
                CreatePartitionsRequest(topics=[growing], timeout_ms=5000, validate_only=False)
            )
        self._await_topic(real, partitions)
        wanted = [MetadataRequestTopic(name=real)]
        (found,) = self.request(
            MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
        ).topics
        self.names[found.topic_id] = name

    def drop_topic(self, name: str) -> None:
        """Delete a topic."""
        state = DeleteTopicState(name=self.real(name))
        self.request(DeleteTopicsRequest(topics=[state], topic_names=[], timeout_ms=5000))
        self._await_topic(self.real(name), 0)

    def _await_topic(self, real: str, partitions: int) -> None:
        """Wait until the group coordinator assigns so many partitions of the topic.

        Metadata responses are not sufficient, because parts of Kafka apply metadata independently.
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
            reported = self.request(body)
            topics = reported.assignment.topic_partitions if reported.assignment else []
            return sum(len(each.partitions) for each in topics) == partitions

        eventually(assigned, f"{partitions} partitions of {real} are assigned")

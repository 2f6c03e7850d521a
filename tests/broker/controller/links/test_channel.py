"""A node's channel to the controller, and its faults."""

from __future__ import annotations

from typing import cast
from uuid import uuid4

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.controller import Controller
from broker.controller.links.channel import ControllerChannel
from broker.controller.metadata.image import PartitionRegistration
from broker.controller.partitions.alter_partition import AlterPartition
from protocol.errors import ErrorCode

CHANGE = AlterPartition(TopicPartition("t", 0), uuid4(), 1, 1, 0, 0, (1,), (1,))
SHRUNK = PartitionRegistration((1, 2), (1,), 1)


class Agreeing:
    """A controller that agrees to every change except in leader epoch 13."""

    def alter_partition(self, change: AlterPartition) -> PartitionRegistration:
        if change.leader_epoch == 13:
            raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
        return SHRUNK


class Requester:
    """Sends requests, and keeps the responses."""

    def __init__(self) -> None:
        self.channel = ControllerChannel(cast("Controller", Agreeing()))
        self.responses: list[PartitionRegistration | ErrorCode] = []

    def request(self, change: AlterPartition = CHANGE) -> None:
        self.channel.alter_partition(change, self._respond)

    def _respond(self, result: PartitionRegistration | ApiError) -> None:
        self.responses.append(result.code if isinstance(result, ApiError) else result)


def test_a_response_comes_immediately() -> None:
    """On the caller's stack, with a result or an error."""
    requester = Requester()

    requester.request()
    requester.request(AlterPartition(CHANGE.key, CHANGE.topic_id, 1, 1, 13, 0, (1,), (1,)))

    assert requester.responses == [SHRUNK, ErrorCode.FENCED_LEADER_EPOCH]


def test_a_held_request_is_sent_at_the_release() -> None:
    """The controller is slow."""
    requester = Requester()
    requester.channel.hold()
    requester.request()
    before = list(requester.responses)

    requester.channel.release()

    assert (before, requester.responses) == ([], [SHRUNK])

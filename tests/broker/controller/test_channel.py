"""A node's channel to the controller, and its faults."""

from __future__ import annotations

from typing import cast
from uuid import uuid4

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.alter_partition import AlterPartition
from broker.controller.channel import ControllerChannel
from broker.controller.controller import Controller
from broker.controller.image import PartitionRegistration
from protocol.errors import ErrorCode

CHANGE = AlterPartition(TopicPartition("t", 0), uuid4(), 1, 1, 0, 0, (1,), (1,))
SHRUNK = PartitionRegistration((1, 2), (1,), 1)


class Agreeing:
    """A controller that agrees to every change except in leader epoch 13."""

    def alter_partition(self, change: AlterPartition) -> PartitionRegistration:
        if change.leader_epoch == 13:
            raise ApiError(ErrorCode.FENCED_LEADER_EPOCH)
        return SHRUNK


class Asker:
    """Sends requests, and keeps the responses."""

    def __init__(self) -> None:
        self.channel = ControllerChannel(cast("Controller", Agreeing()))
        self.responses: list[PartitionRegistration | ErrorCode] = []

    def ask(self, change: AlterPartition = CHANGE) -> None:
        self.channel.alter_partition(change, self._answered)

    def _answered(self, answer: PartitionRegistration | ApiError) -> None:
        self.responses.append(answer.code if isinstance(answer, ApiError) else answer)


def test_a_response_comes_immediately() -> None:
    """On the caller's stack, with a result or an error."""
    asker = Asker()

    asker.ask()
    asker.ask(AlterPartition(CHANGE.key, CHANGE.topic_id, 1, 1, 13, 0, (1,), (1,)))

    assert asker.responses == [SHRUNK, ErrorCode.FENCED_LEADER_EPOCH]


def test_a_held_request_is_sent_at_the_release() -> None:
    """The controller is slow."""
    asker = Asker()
    asker.channel.hold()
    asker.ask()
    before = list(asker.responses)

    asker.channel.release()

    assert (before, asker.responses) == ([], [SHRUNK])


def test_a_dropped_request_gets_no_response() -> None:
    """The network has lost it."""
    asker = Asker()
    asker.channel.hold()
    asker.ask()

    asker.channel.drop_held()
    asker.channel.release()

    assert asker.responses == []


def test_the_next_request_can_be_refused() -> None:
    """Only that one."""
    asker = Asker()
    asker.channel.refuse_next(ApiError(ErrorCode.NOT_CONTROLLER))

    asker.ask()
    asker.ask()

    assert asker.responses == [ErrorCode.NOT_CONTROLLER, SHRUNK]

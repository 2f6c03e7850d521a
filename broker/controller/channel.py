"""A node's way to the controller, which a test can make slow, or bad.

In Kafka these are requests over the network, answered later. Here the answer comes on the caller's
own stack, and who asks must bear either.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.alter_partition import AlterPartition
from broker.controller.controller import Controller
from broker.controller.image import PartitionRegistration

Answer = Callable[[PartitionRegistration | ApiError], None]


class ControllerChannel:
    """Asks *controller* on behalf of one node."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._held: deque[tuple[AlterPartition, Answer]] | None = None
        self._refusals: deque[ApiError] = deque()

    def alter_partition(self, change: AlterPartition, answer: Answer) -> None:
        """Ask for another in-sync set."""
        if self._held is not None:
            self._held.append((change, answer))
            return
        if self._refusals:
            answer(self._refusals.popleft())
            return
        try:
            registration = self._controller.alter_partition(change)
        except ApiError as error:
            answer(error)
        else:
            answer(registration)

    def replicas_failed(self, node_id: int, keys: Iterable[TopicPartition]) -> None:
        """Tell that a node's disk has failed with these partitions on it."""
        self._controller.replicas_failed(node_id, keys)

    def hold(self) -> None:
        """Keep what is asked from now on back."""
        if self._held is None:
            self._held = deque()

    def release(self) -> None:
        """Ask what was kept back, in order."""
        held, self._held = self._held or deque(), None
        for change, answer in held:
            self.alter_partition(change, answer)

    def drop_held(self) -> None:
        """Lose what was kept back: it is neither asked nor answered, ever."""
        if self._held is not None:
            self._held.clear()

    def refuse_next(self, error: ApiError) -> None:
        """Answer the next question with *error*."""
        self._refusals.append(error)

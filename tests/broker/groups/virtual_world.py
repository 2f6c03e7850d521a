"""A group coordinator in virtual time, whose timers a test drives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.controller.metadata.image import MetadataImage, PartitionRegistration, TopicImage
from broker.groups.classic.group import ClassicGroup
from broker.groups.group_coordinator_service import GroupCoordinatorService
from broker.groups.share.end_offsets import EndOffset
from broker.steps.offload import Inline, Offload
from broker.steps.queue import StepQueue, finish
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.broker.coordinators.kept_log import KeptLog
from tests.broker.share.memory_persister import MemoryPersister

EPOCH_MS = 1_700_000_000_000


class ManualClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time_ms = 0.0

    def now_ms(self) -> float:
        return self.time_ms

    def wall_ms(self) -> int:
        return EPOCH_MS + int(self.time_ms)

    def wall_us_at(self, now_ms: float) -> int:
        return int((EPOCH_MS + now_ms) * 1000)

    def seconds_until(self, time_ms: float) -> float:
        return (time_ms - self.time_ms) / 1000


class VirtualWorld:
    """A coordinator with its clock, its topics, its purgatories and its logs."""

    def __init__(
        self,
        config: Config | None = None,
        image: MetadataImage | None = None,
        offload: Offload | None = None,
    ) -> None:
        self.config = config or Config()
        self.clock = ManualClock()
        self.steps = StepQueue(self.clock.now_ms)
        self.image = image or MetadataImage("cluster")
        self.offload = offload or Inline()
        self.persister = MemoryPersister()
        self.ends: dict[TopicPartition, int] = {}
        self.logs = [
            KeptLog(partial(self._on_high_watermark, partition), self._add_action)
            for partition in range(self.config.offsets_topic_num_partitions)
        ]
        self._start()

    def _start(self) -> None:
        self._timers = [SystemTimer("node", now_ms=self.clock.now_ms)]
        self.actions = ActionQueue()
        self.rebalances = self._purgatory("Rebalance")
        self.heartbeats = self._purgatory("Heartbeat")
        self.coordinator = GroupCoordinatorService(
            self.config,
            self.clock,
            self._timers[0],
            self.actions,
            self.steps,
            self.rebalances,
            self.heartbeats,
            lambda: self.image,
            self.offload,
            lambda: self.persister,
            lambda partition, done: done(self._end_of(partition)),
        )
        for partition, log in enumerate(self.logs):
            self.coordinator.runtime.on_election(partition, log)

    def _end_of(self, partition: TopicPartition) -> EndOffset:
        end = self.ends.get(partition)
        return EndOffset(error=ErrorCode.LEADER_NOT_AVAILABLE) if end is None else EndOffset(end)

    def restart(self) -> None:
        """Start the coordinator again; its state is that of the logs."""
        self._start()

    # --------------------------------------------------------------------------------- time

    def now_ms(self) -> float:
        """The time since the beginning, in ms."""
        return self.clock.now_ms()

    def wait(self, duration_ms: float) -> None:
        """Let time pass, from one expiration to the next, so that each task runs when it is due."""
        until_ms = self.clock.time_ms + duration_ms
        while True:
            next_ms = min(timer.next_expiration_ms for timer in self._timers)
            self.clock.time_ms = max(self.clock.time_ms, min(next_ms, until_ms))
            for timer in self._timers:
                timer.advance_clock(0)
            if next_ms > until_ms:
                return

    def end_request(self) -> None:
        """Run the queued actions, as the dispatcher does at the end of each request."""
        self.actions.try_complete_actions()

    # --------------------------------------------------------------------------------- logs

    def slow_down(self) -> None:
        """Let appends wait for `replicate`."""
        for log in self.logs:
            log.slow = True

    def replicate(self) -> None:
        """Move the high watermarks to the ends of the logs."""
        for log in self.logs:
            log.replicate()

    def refuse(self, error: ErrorCode | None) -> None:
        """Let the logs refuse appends with *error*; None lets them accept appends again."""
        for log in self.logs:
            log.refusal = error

    def _on_high_watermark(self, partition: int) -> None:
        self.coordinator.runtime.on_high_watermark(partition)

    def _add_action(self, action: Callable[[], object]) -> None:
        self.actions.add(action)

    # ------------------------------------------------------------------------------- topics

    def put_topic(self, name: str, partitions: int, topic_id: UUID | None = None) -> None:
        """Create or extend a topic."""
        before = self.image.topic(name)
        if topic_id is None:
            topic_id = UUID(int=len(self.image.names) + 1) if before is None else before.topic_id
        registration = PartitionRegistration((1,), (1,), 1)
        self.image.put(TopicImage(name, topic_id, {}, (registration,) * partitions))
        self.coordinator.topics_changed([name])

    def drop_topic(self, name: str) -> None:
        """Delete a topic."""
        topic = self.image.topic(name)
        assert topic is not None
        self.image.remove(topic)
        self.coordinator.topics_changed([name])
        finish(self.coordinator.on_topic_deleted(name, topic.topic_id))

    def _purgatory(self, name: str) -> DelayedOperationPurgatory[Any]:
        timer = SystemTimer(name, now_ms=self.clock.now_ms)
        self._timers.append(timer)
        return DelayedOperationPurgatory(name, timer)


def classic_group(coordinator: GroupCoordinatorService, group_id: str) -> ClassicGroup:
    """Return a group, which must be a classic one."""
    group = coordinator.groups[group_id]
    assert isinstance(group, ClassicGroup)
    return group

"""The periodic tasks of the share coordinator: repeated snapshots, and pruning of its topic."""

from __future__ import annotations

import logging
from functools import partial
from typing import Protocol

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.controller.metadata.image import SHARE_GROUP_STATE_TOPIC
from broker.share_coordinator.coordinator import ShareCoordinator
from broker.steps.schedule import schedule
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.coordinators")


class DeleteRecords(Protocol):
    """Deletes the records of a partition below an offset; raises `ApiError`."""

    def __call__(self, partition: TopicPartition, offset: int) -> object:
        """Delete them on this node; followers do so with their next fetch."""
        ...


def schedule_share_coordinator_tasks(
    timer: SystemTimer,
    coordinator: ShareCoordinator,
    config: Config,
    actions: ActionQueue,
    delete_records: DeleteRecords,
) -> None:
    """Run each task after its interval, and then after every interval."""

    def repeat_snapshots() -> None:
        for partition in list(coordinator.states):
            try:
                coordinator.repeat_snapshots(partition)
            except ApiError as error:
                log.warning("partition %d: no repeated snapshots: %s", partition, error)
        actions.try_complete_actions()

    def prune() -> None:
        for partition, states in coordinator.states.items():
            end = states.redundant_end
            # The snapshots that make earlier records redundant must not be lost with this node.
            delete = partial(_delete, delete_records, partition, end)
            coordinator.runtime.when_partition_replicated(partition, delete)

    prune_ms = config.share_coordinator_state_topic_prune_interval_ms
    schedule(timer, prune, delay_ms=prune_ms, period_ms=prune_ms)
    repeat_ms = config.share_coordinator_cold_partition_snapshot_interval_ms
    schedule(timer, repeat_snapshots, delay_ms=repeat_ms, period_ms=repeat_ms)


def _delete(delete_records: DeleteRecords, partition: int, offset: int, error: ErrorCode) -> None:
    if error:
        return  # the next run deletes them
    try:
        delete_records(TopicPartition(SHARE_GROUP_STATE_TOPIC, partition), offset)
    except ApiError as refusal:
        log.warning("partition %d cannot be pruned: %s", partition, refusal)

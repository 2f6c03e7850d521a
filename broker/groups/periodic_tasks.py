"""The periodic work of a group coordinator: the expiry of offsets."""

from __future__ import annotations

from broker.config import Config
from broker.groups.group_coordinator_service import GroupCoordinatorService
from broker.steps.queue import StepQueue
from broker.steps.schedule import InSlices, schedule
from purgatories.timer.system_timer import SystemTimer


def schedule_group_tasks(
    timer: SystemTimer, groups: GroupCoordinatorService, config: Config, steps: StepQueue
) -> None:
    """Delete expired offsets every ``offsets.retention.check.interval.ms``."""
    interval_ms = config.offsets_retention_check_interval_ms
    expire = InSlices(timer, steps, groups.expire_offsets)
    schedule(timer, expire, delay_ms=interval_ms, period_ms=interval_ms)

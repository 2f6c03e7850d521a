"""Elections that the controller holds periodically (the tasks of Kafka's ``QuorumController``)."""

from __future__ import annotations

from broker.config import Config
from broker.controller.controller import Controller
from broker.steps.schedule import schedule
from purgatories.timer.system_timer import SystemTimer


def schedule_elections(timer: SystemTimer, controller: Controller, config: Config) -> None:
    """Schedule the elections of preferred leaders and of unclean leaders."""
    if config.auto_leader_rebalance_enable:
        period_ms = config.leader_imbalance_check_interval_seconds * 1000
        schedule(timer, controller.rebalance_leaders, delay_ms=period_ms, period_ms=period_ms)
    period_ms = config.unclean_leader_election_interval_ms
    schedule(timer, controller.elect_missing_leaders, delay_ms=period_ms, period_ms=period_ms)

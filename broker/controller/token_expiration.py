"""The periodic removal of expired delegation tokens (a task of Kafka's ``QuorumController``)."""

from __future__ import annotations

from broker.common.clock import Clock
from broker.config import Config
from broker.controller.controller import Controller
from broker.steps.schedule import schedule
from purgatories.timer.system_timer import SystemTimer


def schedule_token_expiration(
    timer: SystemTimer, controller: Controller, config: Config, clock: Clock
) -> None:
    """Schedule the removal, if there can be tokens."""
    if config.delegation_token_secret_key is None:
        return
    period_ms = config.delegation_token_expiry_check_interval_ms

    def remove_expired() -> None:
        controller.security.tokens.remove_expired(clock.wall_ms())

    schedule(timer, remove_expired, delay_ms=period_ms, period_ms=period_ms)

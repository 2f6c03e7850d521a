"""Periodic elections."""

from __future__ import annotations

from typing import cast

import pytest

from broker.config import Config
from broker.controller.controller import Controller
from broker.controller.periodic_elections import schedule_elections
from purgatories.timer.system_timer import SystemTimer


class CountingController:
    """A controller that counts its calls."""

    def __init__(self) -> None:
        self.elections: list[str] = []

    def rebalance_leaders(self) -> None:
        self.elections.append("preferred")

    def elect_missing_leaders(self) -> None:
        self.elections.append("unclean")


@pytest.mark.parametrize(
    ("config", "elections"),
    [
        (Config(), ["preferred", "unclean"] * 2),
        (Config(auto_leader_rebalance_enable=False), ["unclean"] * 2),
        (Config(unclean_leader_election_interval_ms=10**9), ["preferred"] * 2),
        (Config(leader_imbalance_check_interval_seconds=10**6), ["unclean"] * 2),
    ],
)
def test_elections_are_held_every_five_minutes(config: Config, elections: list[str]) -> None:
    """Both kinds, by default."""
    now_ms = 0.0
    timer = SystemTimer("cluster", now_ms=lambda: now_ms)
    controller = CountingController()
    schedule_elections(timer, cast("Controller", controller), config)

    for _ in range(605):
        now_ms += 1000
        timer.advance_clock(0)

    assert sorted(controller.elections) == sorted(elections)

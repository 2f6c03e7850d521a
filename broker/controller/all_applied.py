"""Waits until all nodes have applied the changes of the controller."""

from __future__ import annotations

import trio

from broker.controller.controller import Controller
from broker.steps.queue import all_set


async def all_applied(controller: Controller) -> None:
    """Wait until all nodes, except held ones, have applied all changes up to now."""
    applied = trio.Event()
    all_set(controller.unapplied().values()).when_set(applied.set)
    await applied.wait()

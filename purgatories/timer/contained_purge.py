"""The purge at the end of a reaper's step, which does not end the reaper if it raises."""

from __future__ import annotations

from collections.abc import Callable

from .system_timer import SystemTimer


def run_purge(timer: SystemTimer, purge: Callable[[], None]) -> None:
    """Call *purge*; an exception is reported to the timer's ``on_error``."""
    try:
        purge()
    except Exception as error:
        timer.on_error(f"the purge of {timer.name}", error)

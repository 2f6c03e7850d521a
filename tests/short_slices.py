"""Slices of long work that end after a known number of pieces."""

from __future__ import annotations

from itertools import count

from broker.steps.queue import StepQueue


def short_slices(steps: StepQueue) -> int:
    """Let slices end after `SLICE_MS` pieces from now on; returns how many slices have run.

    The clock of *steps* advances by 1 ms at each reading.
    """
    steps.now_ms = count().__next__
    return steps.slices_run

"""Runs a computation in a worker thread from work that runs in slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from broker.steps.offload import Offload, Outcome
from broker.steps.queue import Signal, Slices

Result = TypeVar("Result")


def offloaded(offload: Offload, work: Callable[[], Result]) -> Slices[Result]:
    """Run *work*, a pure function, in a worker thread; return its value or raise its exception.

    The slices continue when it is done; closing them abandons it.
    """
    outcomes: list[Outcome[Result]] = []
    done = Signal()

    def then(outcome: Outcome[Result]) -> None:
        outcomes.append(outcome)
        done.set()

    job = offload.run(work, then)
    try:
        while not outcomes:
            yield done
    finally:
        job.abandon()
    return outcomes[0].result()

"""An `Offload` whose computations run when the test says so."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import trio

from broker.steps.offload import Job, Outcome

Result = TypeVar("Result")


class HeldOffload:
    """Keeps each job until `finish_next`; ``jobs`` are those that wait."""

    def __init__(self) -> None:
        self.jobs: deque[Job[Any]] = deque()

    async def serve(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Return: outcomes are handed over by `finish_next`."""
        task_status.started()

    def run(
        self, work: Callable[[], Result], then: Callable[[Outcome[Result]], object]
    ) -> Job[Result]:
        """Keep the job."""
        job = Job(work, then)
        self.jobs.append(job)
        return job

    def finish_next(self) -> None:
        """Run the oldest job, as a worker thread would, and hand its outcome over."""
        job = self.jobs.popleft()
        job.finish(job.compute())

"""Runs one simulation in virtual time: its events depend on its seed alone."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import tempfile
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from unittest.mock import patch

import trio
import trio.testing

# The scheduler shuffles ready tasks, in an order that depends on its own seed.
from trio._core import _run as scheduler

from purgatories.purgatory import DelayedOperationPurgatory
from tests.purgatories.builds import IS_COMPILED
from tests.simulation.history import History
from tests.simulation.violation import Violation

MEMORY = Path("/dev/shm")  # a file system in memory, where it exists


class Playable(Protocol):
    """A run that has not begun."""

    history: History

    async def play(self) -> None:
        """Follow the plan; raises `Violation`."""
        ...


@dataclass
class Result:
    """The log of a run and its outcome: ``failure`` is None or one line with the reason."""

    seed: int
    lines: list[str]
    failure: str | None = None

    @property
    def digest(self) -> str:
        """Equal for two runs with the same events at the same times."""
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()[:16]


def play_run(seed: int, new_run: Callable[[Path], Playable]) -> Result:
    """Play the run that *new_run* returns; its nodes have their files in a temporary directory."""
    scheduler._ALLOW_DETERMINISTIC_SCHEDULING = True  # type: ignore[misc]  # noqa: SLF001 - as Hypothesis does it
    scheduler._r.seed(seed)  # noqa: SLF001 - as Hypothesis does it
    random.seed(seed)
    directory = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
    result = Result(seed, [])

    async def main() -> None:
        run = new_run(directory)
        result.lines = run.history.lines
        await run.play()

    # Exceptions that a broker contains end the run.
    strict = patch.dict(os.environ, ANTECHAMBER_STRICT="1")
    # The ID of a topic determines the coordinator of its share partitions.
    same_ids = patch.object(os, "urandom", random.Random(seed).randbytes)
    try:
        with _few_shards(), strict, same_ids:
            trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    except* Violation as violations:
        result.failure = str(_first(violations))
    except* Exception as bugs:
        bug = _first(bugs)
        result.failure = f"{type(bug).__name__}: {bug}"
        result.lines += "".join(traceback.format_exception(bug)).splitlines()
    finally:
        shutil.rmtree(directory)
    return result


def _few_shards() -> AbstractContextManager[object]:
    """Make purgatories with few shards: each of them has 512 on each node, and a run needs few.

    The defaults of a compiled function cannot be replaced. The runs are the same with all shards.
    """
    if IS_COMPILED:
        return nullcontext()
    return patch.dict(DelayedOperationPurgatory.__init__.__kwdefaults__, shards=8)


def _first(group: BaseException) -> BaseException:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return group

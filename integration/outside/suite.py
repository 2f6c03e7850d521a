"""A suite of another project: how it is obtained, and the results of its tests on a broker."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol


class Verdict(StrEnum):
    """The result of a test."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


# Results by the name of the test.
Results = dict[str, Verdict]


class Brokers(NamedTuple):
    """``bootstrap``: the addresses they listen at. ``stop`` and ``start`` take the id of a node.

    A suite without nodes starts its own, which are ours if ``are_ours``.
    """

    bootstrap: str
    stop: Callable[[int], None]
    start: Callable[[int], None]
    are_ours: bool


class Suite(Protocol):
    """The tests of one project."""

    name: str
    # The number of brokers that the tests need, 0 if they start their own, and the properties of
    # each.
    nodes: int
    properties: Mapping[str, str]
    # The rack of each broker; none if it is empty.
    racks: Sequence[str]
    # The first of the ports that they advertise, where a proxy listens; None: their own.
    advertised: int | None

    def missing(self) -> str | None:
        """Return what is missing to run it, or None."""
        ...

    def run(self, brokers: Brokers, log: Path) -> Results:
        """Obtain the suite if necessary, run it, and write its output to *log*."""
        ...


def cache(name: str) -> Path:
    """A folder of the user's cache, for sources and build results."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "antechamber" / "outside" / name


def run_logged(
    command: Sequence[str | Path],
    log: Path,
    *,
    folder: Path,
    variables: Mapping[str, str] | None = None,
    within_seconds: float,
) -> str:
    """Run *command* in *folder*, whatever its exit code; returns its output."""
    with log.open("ab") as output:
        begin = output.tell()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(within_seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
    return log.read_bytes()[begin:].decode(errors="replace")

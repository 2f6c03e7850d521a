"""What a suite from outside is: how it is obtained, and what its tests report of a broker."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Verdict(StrEnum):
    """How a test ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


# Verdicts by the name of the test.
Results = dict[str, Verdict]


class Suite(Protocol):
    """One project's tests."""

    name: str
    # Broker properties that the tests expect.
    properties: Mapping[str, str]

    def missing(self) -> str | None:
        """What this machine lacks to run it, in words; None when nothing."""
        ...

    def run(self, bootstrap: str, log: Path) -> Results:
        """Obtain the suite if necessary, run it, and write its output to *log*."""
        ...


def cache(name: str) -> Path:
    """A folder of the user's cache, for sources and what is built from them."""
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
    """Run *command* in *folder* to its end, whatever its exit code; returns what it printed."""
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

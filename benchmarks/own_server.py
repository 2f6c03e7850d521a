"""A server of this folder in a process of its own."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Self

import psutil  # type: ignore[import-untyped]  # it has no types

from benchmarks.processor_time import processor_seconds
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess


class OwnServer:
    """Runs the module *name*, which prints its address in a line and then serves."""

    def __init__(self, name: str) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="antechamber-server-"))
        self._process = ServerProcess([sys.executable, "-m", name], self._directory)
        eventually(lambda: self._process.stdout().endswith("\n"), f"the address of {name}")
        self.bootstrap = self._process.stdout().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        shutil.rmtree(self._directory, ignore_errors=True)

    @property
    def started(self) -> float:
        """When the process was started, as `time.perf_counter`."""
        return self._process.started

    def resident_mb(self) -> float:
        """Its resident memory."""
        return float(psutil.Process(self._process.pid).memory_info().rss / 1e6)

    def cpu_seconds(self) -> float:
        """The processor time used so far."""
        return processor_seconds(self._process.pid)

"""A server of this folder in a process of its own."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Self

from benchmarks.processor_time import processor_seconds
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess


class OwnServer:
    """Runs the module *name*, which prints its address in a line and then serves."""

    def __init__(self, name: str) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="antechamber-server-"))
        self.process = ServerProcess([sys.executable, "-m", name], self._directory)
        eventually(lambda: self.process.stdout().endswith("\n"), f"the address of {name}")
        self.bootstrap = self.process.stdout().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        shutil.rmtree(self._directory, ignore_errors=True)

    def cpu_seconds(self) -> float:
        """The processor time used so far."""
        return processor_seconds(self.process.pid)

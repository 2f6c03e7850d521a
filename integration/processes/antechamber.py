"""The command `antechamber serve` as a process, ready when its ready file exists.

For tests of the process itself, its options, signals and output; others use `Cluster`.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from antechamber.admin_client import AdminClient
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess


class Antechamber:
    """A running broker; the context manager stops it and removes its files at the end."""

    name = "antechamber"

    def __init__(
        self,
        *arguments: str,
        ready_within: float = 60.0,
        descriptors: int | None = None,
        packages: Path | None = None,
    ) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="antechamber-integration-"))
        self.process = start_serve(
            self.directory, *arguments, descriptors=descriptors, packages=packages
        )
        try:
            self.ready: dict[str, Any] = _wait_until_ready(
                self.process, self.directory / "ready.json", ready_within
            )
        except BaseException:
            self.close()
            raise
        self.bootstrap: str = self.ready["bootstrap"]

    @property
    def admin(self) -> AdminClient:
        """A client of its admin interface."""
        return AdminClient(self.ready["admin"])

    @property
    def pid(self) -> int:
        """The process id of the broker."""
        return self.process.pid

    def ready_line(self) -> str:
        """The line on stdout, which the broker writes after the ready file."""
        eventually(lambda: self.process.stdout().endswith("\n"), "the ready line")
        (line,) = self.process.stdout().splitlines()
        return line

    def close(self) -> None:
        """Stop the broker and remove its files."""
        try:
            if self.process.exit_code is None:
                self.process.stop()
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


Serve = Callable[..., Antechamber]


def start_serve(
    directory: Path,
    *arguments: str,
    descriptors: int | None = None,
    packages: Path | None = None,
) -> ServerProcess:
    """Start `antechamber serve` on free ports, without waiting.

    The process may open *descriptors* files at most. It runs the packages in the folder *packages*,
    by default those of the tests.
    """
    ports = ["--port", "0", "--admin-port", "0"]
    given = [part for i, part in enumerate(ports) if ports[i - i % 2] not in arguments]
    # Its temporary files are in the directory, which is removed also if the process is killed.
    command = ["env", f"TMPDIR={directory}"]
    if packages is not None:
        # Without the first variable, Python would first search the working directory.
        command += ["PYTHONSAFEPATH=1", f"PYTHONPATH={packages}"]
    command += [sys.executable, "-m", "antechamber", "serve", *given]
    command += ["--ready-file", str(directory / "ready.json"), *arguments]
    if descriptors is not None:
        command = ["sh", "-c", 'ulimit -n "$0" && exec "$@"', str(descriptors), *command]
    return ServerProcess(command, directory)


def _wait_until_ready(process: ServerProcess, ready_file: Path, within: float) -> dict[str, Any]:
    def ready() -> bool:
        if process.exit_code is not None:
            raise RuntimeError(f"serve ended with {process.exit_code}: {process.stderr()[-2000:]}")
        return ready_file.exists()

    eventually(ready, "the ready file", within=within)
    response: dict[str, Any] = json.loads(ready_file.read_text())
    return response

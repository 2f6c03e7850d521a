"""kfake, franz-go's fake Kafka cluster, with one broker: built by Go from its module.

`go/go.mod` has its version, and `go/go.sum` the hashes.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from integration.clients.go_program import go_program, missing_for_go
from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess

SOURCES = Path(__file__).parent / "go"


def missing_for_kfake() -> str | None:
    """Return why kfake cannot run here, or None; builds it the first time."""
    return missing_for_go(SOURCES)


def kfake_version() -> str:
    """The version of kfake's module."""
    found = re.search(r"pkg/kfake (\S+)", (SOURCES / "go.mod").read_text())
    assert found
    return found[1]


class Kfake:
    """A running kfake; it keeps all records in memory."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="antechamber-kfake-"))
        self.process = ServerProcess([go_program(SOURCES)], self.directory)
        eventually(lambda: self.process.stdout().endswith("\n"), "the address of kfake")
        self.bootstrap = self.process.stdout().strip()

    def close(self) -> None:
        """End it."""
        self.process.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

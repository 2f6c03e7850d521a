"""kfake, franz-go's fake Kafka cluster, with one broker: built by Go from its module.

`go/go.mod` has its version, and `go/go.sum` the hashes. The program is built once into a cache of
the user.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from integration.machine.deadlines import eventually
from integration.processes.server_process import ServerProcess

SOURCES = Path(__file__).parent / "go"
_BUILD_WITHIN_SECONDS = 900


@cache
def missing_for_kfake() -> str | None:
    """Return why kfake cannot run here, or None; builds it the first time."""
    if shutil.which("go") is None:
        return "no go on the PATH"
    try:
        program()
    except subprocess.CalledProcessError as error:
        return f"kfake cannot be built: {error.stderr.strip().splitlines()[-1]}"
    return None


@cache
def program() -> Path:
    """Return the built program."""
    built = _folder() / _name()
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=built.parent) as folder:
            target = Path(folder) / built.name
            subprocess.run(
                ["go", "build", "-trimpath", "-o", target, "."],
                cwd=SOURCES,
                check=True,
                capture_output=True,
                text=True,
                timeout=_BUILD_WITHIN_SECONDS,
            )
            target.replace(built)
    return built


def kfake_version() -> str:
    """The version of kfake's module."""
    found = re.search(r"pkg/kfake (\S+)", (SOURCES / "go.mod").read_text())
    assert found
    return found[1]


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "antechamber" / "kfake"


def _name() -> str:
    """A name that changes with the sources."""
    files = (SOURCES / name for name in ("main.go", "go.mod", "go.sum"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


class Kfake:
    """A running kfake; it keeps all records in memory."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="antechamber-kfake-"))
        self.process = ServerProcess([program()], self.directory)
        eventually(lambda: self.process.stdout().endswith("\n"), "the address of kfake")
        self.bootstrap = self.process.stdout().strip()

    def close(self) -> None:
        """End it."""
        self.process.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

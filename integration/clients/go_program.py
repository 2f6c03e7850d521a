"""Builds a Go program, from the versions in its go.mod, once into a cache of the user."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

_BUILD_WITHIN_SECONDS = 900


@cache
def missing_for_go(sources: Path) -> str | None:
    """Return why the program in a folder cannot run here, or None; builds it the first time."""
    if shutil.which("go") is None:
        return "no go on the PATH"
    try:
        go_program(sources)
    except subprocess.CalledProcessError as error:
        return f"{sources.name} cannot be built: {error.stderr.strip().splitlines()[-1]}"
    return None


@cache
def go_program(sources: Path) -> Path:
    """Return the built program; raises CalledProcessError."""
    built = _folder() / _name(sources)
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=built.parent) as folder:
            target = Path(folder) / built.name
            subprocess.run(
                ["go", "build", "-trimpath", "-o", target, "."],
                cwd=sources,
                check=True,
                capture_output=True,
                text=True,
                timeout=_BUILD_WITHIN_SECONDS,
            )
            target.replace(built)
    return built


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "antechamber" / "go"


def _name(sources: Path) -> str:
    """A name that changes with the sources."""
    files = (sources / name for name in ("main.go", "go.mod", "go.sum"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]

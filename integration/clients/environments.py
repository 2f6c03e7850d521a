"""Environments with one version of one client library each, cached for the user.

`oldest` tries the versions that were the oldest for some version of Python, and keeps the first one
that can be installed and imported here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

INSTALL_WITHIN_S = 120
_PROGRAMS_NEED = ("crc32c>=2.7",)  # needed by integration/methods


class Library(NamedTuple):
    """A client library: its module, and versions from the oldest on, with their requirements."""

    name: str
    module: str
    old: tuple[str, ...]
    needs: tuple[str, ...] = ()


LIBRARIES = (
    # Older ones use `async` as a name; those before 2.0.3 lack the module names of Python 3.12.
    Library("kafka-python", "kafka", ("1.4.4", "2.0.3", "2.2.0")),
    # Until 0.9 it imports parts of kafka-python that newer versions of that do not have.
    Library("aiokafka", "aiokafka", ("0.8.0", "0.10.0", "0.12.0"), ("kafka-python==2.0.2",)),
    Library("confluent-kafka", "confluent_kafka", ("2.0.2", "2.3.0", "2.6.0", "2.12.1")),
)


class Unavailable(Exception):  # noqa: N818 - the name states the problem
    """No version could be installed; the message is pip's last error."""


@cache
def oldest(library: Library) -> Path:
    """Return the interpreter of an environment with the oldest version; raises `Unavailable`."""
    printed = ""
    for version in library.old:
        try:
            return _environment(library, version)
        except Unavailable as reason:
            printed = str(reason)
    raise Unavailable(printed)


def _environment(library: Library, version: str) -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = Path(base) / "antechamber" / "clients" / f"{library.name}-{version}-python{python}"
    wanted = [f"{library.name}=={version}", *library.needs, *_PROGRAMS_NEED]
    complete = folder / "complete"
    if not complete.exists() or complete.read_text() != str(wanted):
        shutil.rmtree(folder, ignore_errors=True)
        _make(folder, library, wanted)
        complete.write_text(str(wanted))
    return folder / "bin" / "python"


def _make(folder: Path, library: Library, wanted: Sequence[str]) -> None:
    """Make an environment; as it cannot be moved, a marker file says that it is complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    _run(sys.executable, "-m", "venv", folder)
    inside = folder / "bin" / "python"
    pip = (inside, "-m", "pip", "--quiet", "--disable-pip-version-check", "install")
    with tempfile.TemporaryDirectory() as elsewhere:
        _run(*pip, "--prefer-binary", *wanted, at=elsewhere)
        _run(inside, "-W", "ignore", "-c", f"import {library.module}", at=elsewhere)


def _run(*command: str | Path, at: str | None = None) -> None:
    try:
        subprocess.run(
            command, check=True, cwd=at, capture_output=True, text=True, timeout=INSTALL_WITHIN_S
        )
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["nothing"])[-1]
        raise Unavailable(last) from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"not within {INSTALL_WITHIN_S} s") from None

"""A program: its version, a description of its check, and how it is obtained."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

FETCH_WITHIN_SECONDS = 900


class Unavailable(Exception):  # noqa: N818 - the name states the problem
    """The program cannot be obtained on this machine; the message gives the reason."""


class Place(NamedTuple):
    """The broker's address, and a folder for the check."""

    bootstrap: str
    folder: Path


class Program(NamedTuple):
    """A version of a program. ``check`` raises AssertionError, or `Unavailable`."""

    name: str
    version: str
    shows: str
    check: Callable[[Place], None]


def cached(name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder of the user's cache that *make* fills once; raises `Unavailable`."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "antechamber" / "programs" / name
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=folder.parent))
        try:
            make(scratch)
            try:
                scratch.rename(folder)
            except OSError:  # another run made it
                if not folder.exists():
                    raise
        except subprocess.SubprocessError as error:
            output = getattr(error, "stderr", None) or b""
            raise Unavailable(f"{error}: {output[-500:].decode(errors='replace')}") from None
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return folder


def fetch(command: Sequence[str | Path], folder: Path) -> None:
    """Run a package client; raises SubprocessError."""
    if shutil.which(str(command[0])) is None:
        raise Unavailable(f"no {command[0]} on the PATH")
    subprocess.run(
        command, cwd=folder, check=True, capture_output=True, timeout=FETCH_WITHIN_SECONDS
    )


def maven_jars(name: str, *coordinates: str) -> Path:
    """Return a folder with the jars of GROUP:ARTIFACT:VERSION and their dependencies.

    A coordinate may have a fourth part, the classifier.
    """

    def make(folder: Path) -> None:
        dependencies = "".join(map(_dependency, coordinates))
        (folder / "pom.xml").write_text(
            '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            f"<groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies>"
            f"{dependencies}</dependencies></project>"
        )
        fetch(["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=."], folder)

    return cached(name, make)


def _dependency(coordinate: str) -> str:
    parts = zip(
        ("groupId", "artifactId", "version", "classifier"), coordinate.split(":"), strict=False
    )
    return f"<dependency>{''.join(f'<{tag}>{text}</{tag}>' for tag, text in parts)}</dependency>"


def python_with(name: str, *packages: str) -> Path:
    """Return the interpreter of an environment with these packages."""

    def make(folder: Path) -> None:
        fetch([sys.executable, "-m", "venv", folder / "environment"], folder)
        pip: list[str | Path] = [
            folder / "environment/bin/python",
            "-m",
            "pip",
            "install",
            "-q",
            *packages,
        ]
        fetch(pip, folder)

    # An environment is identified by pyvenv.cfg, which names the base interpreter.
    return cached(name, make) / "environment/bin/python"

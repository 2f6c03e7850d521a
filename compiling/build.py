"""The compiled build of a checkout: a copy of its packages, with extension modules in it.

    checkout: antechamber/ broker/ ...  --copy--> folder: antechamber/ broker/ ... --mypyc--> *.so

Python finds an extension module before the source beside it, so a process that has the folder first
on its path runs the compiled modules. ``folder/.digest`` names the source and the tools of the last
build, which is repeated only if they have changed. A build with more optimization takes longer, and
its broker less time for a request; it serves also where less optimization is required.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from enum import IntEnum
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import version
from pathlib import Path

from compiling.initializers import with_initializers
from compiling.messages import MESSAGES, with_native_messages
from compiling.modules import compiled_modules

# A compiled build of these has all that imports a compiled module.
COPIED = ("antechamber", "broker", "pipeline", "protocol", "purgatories", "recorder")
_TYPE_CHECKED = ("broker", "protocol", "purgatories", "compiling")
_DIGEST = ".digest"
_TOOLS = ("mypy", "setuptools")


class Optimization(IntEnum):
    """How much the C compiler optimizes: not at all, as usual, or with the counts of a broker."""

    NONE = 0  # for tests of what the modules do
    USUAL = 1
    PROFILED = 2

    @property
    def options(self) -> list[str]:
        """The options of `compiling.extensions`."""
        return [f"--optimization={self.name.lower()}"]


class CannotCompile(Exception):  # noqa: N818 - it names the condition
    """There is no compiled build; the message is the reason, in one line."""


def build(root: Path, folder: Path, optimization: Optimization = Optimization.USUAL) -> None:
    """Bring the compiled build of the checkout at *root* in *folder* up to date.

    Raises `CannotCompile`, also for a profiled build without GCC.
    """
    is_current, digest = is_built(root, folder, optimization), _digest(root)
    if not is_current:
        if optimization is Optimization.PROFILED and not has_gcc():
            raise CannotCompile("a profiled build needs GCC")
        (folder / _DIGEST).unlink(missing_ok=True)
        for name in COPIED:
            shutil.rmtree(folder / name, ignore_errors=True)
        for library in folder.glob(f"*{EXTENSION_SUFFIXES[0]}"):
            library.unlink()
    for name in COPIED:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / name, folder / name, ignore=ignored, dirs_exist_ok=True)
    if not is_current:
        _compile(folder, compiled_modules(root), optimization.options)
        (folder / _DIGEST).write_text(f"{digest} {optimization.name}")


def is_built(root: Path, folder: Path, optimization: Optimization = Optimization.USUAL) -> bool:
    """Whether *folder* has the compiled modules of the present source, optimized enough."""
    written = folder / _DIGEST
    if not written.exists():
        return False
    digest, _, name = written.read_text().partition(" ")
    return digest == _digest(root) and Optimization[name] >= optimization


def extension_modules(folder: Path) -> list[Path]:
    """The extension modules of the build in *folder*, and the library that they load."""
    return sorted(folder.rglob(f"*{EXTENSION_SUFFIXES[0]}"))


def _compile(folder: Path, modules: list[str], options: list[str]) -> None:
    """Compile *modules* of *folder* beside their source; raises `CannotCompile`."""
    for name in modules:
        path = folder / name
        source = path.read_text("utf-8")
        if name.startswith(MESSAGES):
            source = with_native_messages(name, source)
        else:
            source = with_initializers(source)
        path.write_text(source, "utf-8")
    # By path: in the folder there may be packages of any name.
    program = str(Path(__file__).with_name("extensions.py"))
    done = subprocess.run(
        [sys.executable, "-P", program, *options, *modules],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CannotCompile(done.stdout.strip() or f"mypyc ended with {done.returncode}")


def check_compiler() -> None:
    """Raise `CannotCompile` if the headers of Python or a C compiler are missing."""
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        raise CannotCompile("the headers of this Python (Python.h) are not installed")
    # On Windows setuptools finds the compiler, or the compilation fails.
    compiler = (sysconfig.get_config_var("CC") or "").split()[:1]
    if compiler and shutil.which(compiler[0]) is None:
        raise CannotCompile(f"no C compiler: {compiler[0]} is not on the PATH")


def has_gcc() -> bool:
    """Whether the C compiler is GCC."""
    compiler = (sysconfig.get_config_var("CC") or "").split()[:1]
    if not compiler or shutil.which(compiler[0]) is None:
        return False
    done = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    return "Free Software Foundation" in done.stdout


def _digest(root: Path) -> str:
    """Name the interpreter, the tools and the files that determine a build."""
    digest = sha256(f"{sys.version} {sysconfig.get_platform()}".encode())
    for tool in _TOOLS:
        digest.update(f"{tool} {version(tool)}".encode())
    for path in _files(root):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    for name in _TYPE_CHECKED:
        yield from sorted((root / name).rglob("*.py"))

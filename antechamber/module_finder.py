"""Finds the modules of the packages of a process in fewer steps than Python's own finder.

For each module Python asks several finders, asks the system whether the folder has changed, and
reads the bytecode in ten system calls. A broker imports nine hundred modules when it starts. Here
each folder is listed once, and bytecode is read in five calls:

    import broker.node --> ModuleFinder: broker/node.*.so, broker/node.py or broker/node/__init__.py
                                |
                                `--> ModuleLoader: is broker/__pycache__/node.*.pyc that of the
                                     source? If it is not, Python's own loader compiles the source

`antechamber.launch` imports it by path, so it imports nothing of the package.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Collection, Sequence
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    ExtensionFileLoader,
    ModuleSpec,
    SourceFileLoader,
)
from importlib.util import MAGIC_NUMBER
from types import CodeType, ModuleType
from typing import Final

_SUFFIX: Final = EXTENSION_SUFFIXES[0]
_BYTECODE: Final = f"{sys.implementation.cache_tag}.pyc"
# The header of bytecode that belongs to the source with the modification time and size after it.
_BY_TIME: Final = MAGIC_NUMBER + bytes(4)
_HEADER_BYTES: Final = 16
_UINT32_MAX: Final = 0xFFFFFFFF
_READ: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0)


def install(root: str, packages: Collection[str]) -> None:
    """Find *packages*, which are folders of *root*, and their modules here from now on.

    Without effect if this process keeps bytecode in another place or optimizes it.
    """
    if not sys.flags.optimize and sys.pycache_prefix is None and sys.implementation.cache_tag:
        sys.meta_path.insert(0, ModuleFinder(root, packages))


class ModuleFinder:
    """A finder of `sys.meta_path` for *packages* below *root*."""

    def __init__(self, root: str, packages: Collection[str]) -> None:
        self._root = root
        self._packages = frozenset(packages)
        self._names: dict[str, frozenset[str]] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002 - of the protocol of finders
    ) -> ModuleSpec | None:
        """The place of a module; None if it is not in the packages, so that others are asked."""
        if fullname.partition(".")[0] not in self._packages:
            return None
        folder = path[0] if path else self._root
        name, names = fullname.rpartition(".")[2], self._files(folder)
        if f"{name}.py" in names:
            if name + _SUFFIX not in names:
                return _of_source(fullname, folder, f"{name}.")
            file = os.path.join(folder, name + _SUFFIX)
            extension = ExtensionFileLoader(fullname, file)
            spec = ModuleSpec(fullname, extension, origin=file)
            spec.has_location = True
            return spec
        inner = os.path.join(folder, name)
        if name not in names or "__init__.py" not in self._files(inner):
            return None
        spec = _of_source(fullname, inner, "__init__.")
        spec.submodule_search_locations = [inner]
        return spec

    def _files(self, folder: str) -> frozenset[str]:
        names = self._names.get(folder)
        if names is None:
            try:
                names = frozenset(os.listdir(folder))
            except OSError:
                names = frozenset()
            self._names[folder] = names
        return names


def _of_source(fullname: str, folder: str, stem: str) -> ModuleSpec:
    """The place of the module whose file is named *stem* and ``py``."""
    file = os.path.join(folder, f"{stem}py")
    loader = ModuleLoader(fullname, file)
    spec = ModuleSpec(fullname, loader, origin=file)
    spec.has_location = True
    spec.cached = loader.cached = os.path.join(folder, "__pycache__", stem + _BYTECODE)
    return spec


class ModuleLoader(SourceFileLoader):
    """Python's loader, which reads bytecode faster; ``cached`` is the path of its file."""

    cached = ""

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the module, from its bytecode if that is up to date."""
        try:
            data = _content(self.cached)
        except OSError:
            return super().get_code(fullname)
        source = os.stat(self.path)
        written, size = int(source.st_mtime) & _UINT32_MAX, source.st_size & _UINT32_MAX
        header = _BY_TIME + written.to_bytes(4, "little") + size.to_bytes(4, "little")
        if data[:_HEADER_BYTES] == header:
            code = marshal.loads(memoryview(data)[_HEADER_BYTES:])  # noqa: S302 - as Python does
            # Otherwise the folder has been moved, and tracebacks would name the old one.
            if isinstance(code, CodeType) and code.co_filename == self.path:
                return code
        return super().get_code(fullname)


def _content(path: str) -> bytes:
    """The content of a file, in four system calls."""
    descriptor = os.open(path, _READ)
    try:
        return os.read(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)
